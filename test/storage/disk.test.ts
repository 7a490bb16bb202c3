import { chmodSync, chownSync, mkdirSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { diskError } from "../../src/storage/disk.ts";
import { recover } from "../../src/storage/recover.ts";
import type { ChildRequest } from "./child.ts";
import { canMount, runChild, runMounted } from "./run-child.ts";
import { COMPLETE, newStore, OLD_LINE, picture, texts } from "./store.ts";
import { temporaryFolder } from "./temporary.ts";

const SMALL_DISK = [
  "mount -t tmpfs -o size=1m,mode=755 none store",
  `printf '{"id":"old"}\\n' > store/index.jsonl`,
  "chmod 644 store/index.jsonl",
].join("; ");

const FILL = 'dd if=/dev/zero of="$STORE/zero" bs=1k 2>/dev/null || true';

/** A session of 2 MB and no more. */
const big: ChildRequest = { action: "apply", pieces: 32 };

describe.skipIf(!canMount)("a full disk", () => {
  it("in the middle of a file leaves the store as it was", async () => {
    const folder = await temporaryFolder();
    await newStore(folder);
    const result = await runMounted(SMALL_DISK, folder, big);
    expect(result).toMatchObject({
      code: "not_writable",
      message: `${join(folder, "store/projects/a-b/main.jsonl")} could not be written because the disk is full.`,
      hint: "The store is as it was. Free some space there, then try again.",
    });
    expect(result?.after).toEqual(result?.before);
    expect(result?.after).toEqual({ "index.jsonl": `644 ${OLD_LINE}` });
  });

  it.each(["append 2", "link 1", "link 0"])("from %s on leaves the store as it was", async (step) => {
    const folder = await temporaryFolder();
    await newStore(folder);
    const shell = { [step]: FILL };
    const result = await runMounted(SMALL_DISK, folder, { action: "apply", shell });
    // Links may need space or not; what counts is that nothing is half done.
    if (result?.state === "done")
      expect(Object.keys(result.after)).toEqual(expect.arrayContaining(Object.keys(COMPLETE)));
    else {
      expect(result).toMatchObject({ code: "not_writable" });
      expect(result?.after).toEqual(result?.before);
    }
  });

  it("during an append cuts off what was written of it", async () => {
    const folder = await temporaryFolder();
    await newStore(folder);
    // The line no longer fits: at most the rest of the page that the file has already is free.
    const fill = `head -c 4090 /dev/zero | tr '\\0' x > store/index.jsonl; echo >> store/index.jsonl`;
    const shell = { "append 2": FILL };
    const result = await runMounted(`${SMALL_DISK}; ${fill}`, folder, { action: "apply", shell });
    expect(result).toMatchObject({
      code: "not_writable",
      message: expect.stringMatching(/^Only 5 bytes .*index.jsonl/),
    });
    expect(result?.after["index.jsonl"]).toBe(result?.before["index.jsonl"]);
    expect(Object.keys(result?.after ?? {})).toEqual(["index.jsonl"]);
  });

  it("under the journal leaves the store as it was", async () => {
    const folder = await temporaryFolder();
    await newStore(folder);
    const fill = "dd if=/dev/zero of=baton/zero bs=1k 2>/dev/null || true";
    const prepare = `mkdir -p baton; mount -t tmpfs -o size=64k none baton; ${fill}`;
    const result = await runMounted(prepare, folder, { action: "apply" });
    expect(result).toMatchObject({
      code: "not_writable",
      message: expect.stringContaining(join(folder, "baton")),
    });
    expect(result?.after).toEqual(result?.before);
  });

  it.each(["journal files", "journal staged", "journal done"])(
    "under the journal from %s on, too",
    async (step) => {
      const folder = await temporaryFolder();
      await newStore(folder);
      const shell = { [step]: 'dd if=/dev/zero of="$STORE/../baton/zero" bs=1k 2>/dev/null || true' };
      const prepare = "mkdir -p baton; mount -t tmpfs -o size=64k none baton";
      const result = await runMounted(prepare, folder, { action: "apply", shell });
      expect(result).toMatchObject({
        code: "not_writable",
        message: expect.stringContaining(join(folder, "baton")),
      });
      expect(result?.after).toEqual(result?.before);
    },
  );
});

describe.skipIf(!canMount)("a read-only disk", () => {
  const READ_ONLY = "mount --bind store store; mount -o remount,ro,bind store";

  it("is left as it is, and said to be read-only", async () => {
    const folder = await temporaryFolder();
    await newStore(folder);
    const result = await runMounted(READ_ONLY, folder, { action: "apply" });
    expect(result).toMatchObject({ code: "not_writable", message: expect.stringContaining("read-only") });
    expect(result?.after).toEqual(result?.before);
  });

  it.each(["journal staged", "link 0", "unlink 0"])(
    "from %s on is cleaned up when it can be written again",
    async (step) => {
      const folder = await temporaryFolder();
      const places = await newStore(folder);
      const before = picture(places.store);
      const shell = { [step]: 'mount -o remount,ro,bind "$STORE"' };
      const result = await runMounted("mount --bind store store", folder, { action: "apply", shell });
      expect(result).toMatchObject({
        code: "not_writable",
        hint: expect.stringMatching(
          /^Not everything could be put back yet: .* Baton tries again at its next write. Make /,
        ),
      });
      // Out here the disk is writable.
      const { settled, problems } = await recover(places.batonHome);
      expect(problems).toEqual([]);
      expect(settled).toHaveLength(1);
      expect(picture(places.store)).toEqual(before);
    },
  );

  it("refuses an undo and keeps the operation", async () => {
    const folder = await temporaryFolder();
    const places = await newStore(folder);
    expect(await runChild(folder, { action: "apply" })).toMatchObject({ state: "done" });
    const result = await runMounted(READ_ONLY, folder, { action: "undo" });
    expect(result).toMatchObject({ code: "not_writable" });
    expect(result?.after).toEqual(result?.before);
    expect(await runChild(folder, { action: "undo" })).toMatchObject({ state: "undone" });
    expect(picture(places.store)).toEqual({ "index.jsonl": `644 ${OLD_LINE}` });
  });
});

describe.skipIf(!canMount)("two disks", () => {
  it("do not hinder an undo, which copies what it keeps", async () => {
    const folder = await temporaryFolder();
    const places = await newStore(folder);
    expect(await runChild(folder, { action: "apply" })).toMatchObject({ state: "done" });
    // Links cannot lead from one mount to another, even on the same disk.
    const prepare = "mkdir -p kept baton/trash; mount --bind kept baton/trash";
    expect(await runMounted(prepare, folder, { action: "undo" })).toMatchObject({ state: "undone" });
    expect(picture(places.store)).toEqual({ "index.jsonl": `644 ${OLD_LINE}` });
    const [id = ""] = readdirSync(join(folder, "kept"));
    expect(texts(join(folder, "kept", id))).toMatchObject({
      "0-main.jsonl": COMPLETE["projects/a-b/main.jsonl"],
    });
  });

  it("that are too full to keep anything leave the store as it is", async () => {
    const folder = await temporaryFolder();
    await newStore(folder);
    expect(await runChild(folder, { action: "apply" })).toMatchObject({ state: "done" });
    const prepare =
      "mkdir -p baton/trash; mount -t tmpfs -o size=4k none baton/trash; dd if=/dev/zero of=baton/trash/zero bs=1k 2>/dev/null || true";
    const result = await runMounted(prepare, folder, { action: "undo" });
    expect(result).toMatchObject({ code: "not_writable" });
    expect(result?.after).toEqual(result?.before);
    expect(await runChild(folder, { action: "undo" })).toMatchObject({ state: "undone" });
  });
});

describe("a folder without permission", () => {
  it("is left as it is, and said to be so", async () => {
    const folder = await temporaryFolder();
    const places = await newStore(folder);
    chmodSync(places.store, 0o555);
    const isRoot = process.getuid?.() === 0;
    if (isRoot) {
      // Permissions mean nothing to root, so the child becomes nobody.
      mkdirSync(places.batonHome);
      chownSync(places.batonHome, 65534, 65534);
      chmodSync(folder, 0o755);
    }
    const result = await runChild(folder, { action: "apply", ...(isRoot && { user: 65534 }) });
    chmodSync(places.store, 0o755);
    expect(result).toMatchObject({
      code: "not_writable",
      message: expect.stringContaining("permission is denied"),
    });
    expect(result?.after).toEqual(result?.before);
  });
});

describe("an error of the system", () => {
  it.each([
    ["ENOSPC", "not_writable"],
    ["EDQUOT", "not_writable"],
    ["EACCES", "not_writable"],
    ["EPERM", "not_writable"],
    ["EROFS", "not_writable"],
    ["ENOTDIR", "not_writable"],
    ["EXDEV", "not_writable"],
    ["EEXIST", "refused"],
    ["EBUSY", "busy"],
    ["ENOENT", "not_found"],
    ["EIO", "failed"],
    ["EWHATEVER", "failed"],
  ])("%s becomes one of ours: %s", (code, expected) => {
    const error = diskError(Object.assign(new Error("as it was said"), { code, path: "a/b" }));
    expect(error).toMatchObject({ code: expected, message: expect.stringMatching(/^a\/b .*\.$/) });
    expect(error.hint).toMatch(/\.$/);
  });

  it("names the file it was about", () => {
    const error = Object.assign(new Error("write"), { code: "ENOSPC" });
    expect(diskError(error, "store/main.jsonl").message).toMatch(/^store\/main\.jsonl /);
    expect(diskError(error).message).toMatch(/^A file /);
  });
});
