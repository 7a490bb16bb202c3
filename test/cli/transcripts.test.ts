// Every transcript, run for real in a private home. UPDATE_FIXTURES=1 writes down what happens now.
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { afterEach, describe, expect, it } from "vitest";
import { newPlace, type Place, rerun } from "./transcript.ts";

const FOLDER = new URL("transcripts/", import.meta.url);
let place: Place | undefined;
afterEach(() => place?.remove());

describe("transcripts", () => {
  it.each(readdirSync(FOLDER))("%s", { timeout: 120_000 }, (name) => {
    place = newPlace();
    const path = new URL(name, FOLDER);
    const text = readFileSync(path, "utf8");
    const now = rerun(text, place);
    if (process.env.UPDATE_FIXTURES) writeFileSync(path, now);
    expect(now).toBe(process.env.UPDATE_FIXTURES ? now : text);
  });
});
