// Which MCP server a tool belongs to, in the words of each agent.
import { describe, expect, it } from "vitest";
import { claude } from "../../src/adapters/claude/index.ts";
import { codex } from "../../src/adapters/codex/index.ts";
import { gemini } from "../../src/adapters/gemini/index.ts";
import { mcpToolOf } from "../../src/adapters/mcp.ts";
import { opencode } from "../../src/adapters/opencode/index.ts";

const of = (agent: Parameters<typeof mcpToolOf>[0], name: string, servers: string[] = []) => {
  const found = mcpToolOf(agent, name, servers);
  return found && [found.server, found.tool];
};

describe("a tool of an MCP server", () => {
  it("is named by most agents as mcp__server__tool", () => {
    expect(of(claude, "mcp__jira__get_issue")).toEqual(["jira", "get_issue"]);
    expect(of(claude, "mcp__my_own-server.x__do__it")).toEqual(["my_own-server.x", "do__it"]);
    expect(of(claude, "mcp__plugin_tools_db__query")).toEqual(["plugin_tools_db", "query"]);
    expect(of(codex, "mcp__catalogue__look_up")).toEqual(["catalogue", "look_up"]);
    for (const name of ["Read", "mcp__", "mcp__x", "mcp____", "my_mcp__a__b", ""])
      expect(of(claude, name)).toBeUndefined();
  });

  it("belongs to the server that is set up under that name", () => {
    expect(of(claude, "mcp__my_server__get", ["my server"])).toEqual(["my server", "get"]);
    expect(of(claude, "mcp__a__b__c", ["a__b"])).toEqual(["a__b", "c"]);
    expect(of(claude, "mcp__a__b__c", ["a", "a__b"])).toEqual(["a__b", "c"]);
    expect(of(claude, "mcp__a__", ["a"])).toBeUndefined();
  });

  it("has names of its own in three of them", () => {
    expect(of(gemini, "mcp_catalogue_look_up")).toEqual(["catalogue", "look_up"]);
    expect(of(gemini, "mcp_my_files_stat", ["my", "my_files"])).toEqual(["my_files", "stat"]);
    expect(of(gemini, "mcp_my_files_stat", ["my files"])).toEqual(["my files", "stat"]);
    expect(of(gemini, "mcp_files_stat", ["mcp_files"])).toEqual(["mcp_files", "stat"]);
    expect(of(gemini, "files__stat", ["files"])).toEqual(["files", "stat"]);
    expect(of(gemini, "read_file", ["read"])).toBeUndefined();
    expect(of(opencode, "my_db_query", ["my.db", "my"])).toEqual(["my.db", "query"]);
    expect(of(opencode, "apply_patch", ["jira"])).toBeUndefined();
    expect(of(codex, "jira__get", ["jira"])).toEqual(["jira", "get"]);
    expect(of(codex, "jira__get")).toBeUndefined();
  });
});
