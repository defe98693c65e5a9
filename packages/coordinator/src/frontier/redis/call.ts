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
  /**
   * For a script: made anew whenever the call is sent, in front of the args. For what grows stale while a call
   * waits or is sent again, such as the time.
   */
  stamp?: () => string | number;
}

/** What to send now. */
export function commandOf({ key, script, args, stamp }: StoreCall): Command {
  if (script === undefined) return args;
  const head = ['EVALSHA', script.sha, 1, key];
  return stamp === undefined ? [...head, ...args] : [...head, stamp(), ...args];
}

/** About as many as it will be on the wire. */
export function bytesOf({ args }: StoreCall): number {
  let bytes = 100;
  for (const part of args) bytes += (typeof part === 'string' ? byteLength(part) : 8) + 8;
  return bytes;
}
