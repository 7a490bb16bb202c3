// The variable that moves an agent's store, where a command has to be told again.
import { resolve } from "node:path";

/** What the command needs so that a variable set in the user's shell does not lead it to another store. */
export function storeVariable(name: string, store: string): Record<string, string> {
  const set = process.env[name];
  return !set || resolve(set) === resolve(store) ? {} : { [name]: store };
}
