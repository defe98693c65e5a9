import { byteLength, type Command } from './resp.ts';

export interface Script {
  name: string;
  /** SHA-1 of the text, in hex. */
  sha: string;
  text: string;
}

export interface StoreCall {
  /** A key or just its hash tag part, e.g. `{g12}`: decides the slot. */
  key: string;
  /** Called with KEYS[1] = key and the args. Without a script the args are the whole command. */
  script?: Script;
  args: (string | number)[];
}

export function commandOf({ key, script, args }: StoreCall): Command {
  return script === undefined ? args : ['EVALSHA', script.sha, 1, key, ...args];
}

/** About as many as it will be on the wire. */
export function bytesOf(command: Command): number {
  let bytes = 0;
  for (const part of command) bytes += (typeof part === 'string' ? byteLength(part) : 8) + 8;
  return bytes;
}
