// How Codex is made to ask as much as a permission mode wants. Its sandbox stays the user's in every mode.
import type { PermissionMode } from "../../session/events.ts";
import { isObject, type JsonObject } from "./native.ts";

/** As `on-request`, but it also asks whether a command that the sandbox stopped may run without it (0.166.0). */
const ASKS_TO_GO_ON = {
  granular: {
    sandbox_approval: true,
    rules: true,
    skill_approval: true,
    request_permissions: true,
    mcp_elicitations: true,
  },
};

/** Settings of a thread or a turn; none = the user's own. `user` is whom it asks, not a model of its own. */
export function policyOf(mode: PermissionMode): JsonObject {
  switch (mode) {
    case "default":
      return {};
    case "auto":
      return { approvalPolicy: ASKS_TO_GO_ON, approvalsReviewer: "user" };
    case "interactive":
    case "deny":
      return { approvalPolicy: "untrusted", approvalsReviewer: "user" };
  }
}

/** The user's own, from the answer to `config/read`; what the settings do not say is Codex's default. */
export function ownPolicy(config: JsonObject): JsonObject {
  return {
    approvalPolicy: config.approval_policy ?? "on-request",
    approvalsReviewer: config.approvals_reviewer ?? "user",
  };
}

/** Tools of MCP servers that the user has allowed for good are asked about again. */
export function askingServers(config: JsonObject): JsonObject | undefined {
  const servers = Object.entries(isObject(config.mcp_servers) ? config.mcp_servers : {}).flatMap(
    ([name, server]) => {
      const asking = isObject(server) ? askingServer(server) : {};
      return Object.keys(asking).length > 0 ? [[name, asking] as const] : [];
    },
  );
  return servers.length === 0 ? undefined : { mcp_servers: Object.fromEntries(servers) };
}

const ALLOWED = "approve";

function askingServer({ default_tools_approval_mode, tools }: JsonObject): JsonObject {
  const allowed = Object.entries(isObject(tools) ? tools : {}).filter(
    ([, tool]) => isObject(tool) && tool.approval_mode === ALLOWED,
  );
  const asking = allowed.map(([name]) => [name, { approval_mode: "auto" }]);
  return {
    ...(default_tools_approval_mode === ALLOWED && { default_tools_approval_mode: "auto" }),
    ...(asking.length > 0 && { tools: Object.fromEntries(asking) }),
  };
}
