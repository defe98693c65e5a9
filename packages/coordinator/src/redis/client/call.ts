import { type Command, type Reply, ReplyError } from '../wire/resp.ts';

/** A function of a library that the engine keeps, with the library's text for servers that lack it. */
export interface Script {
  name: string;
  /** Names the library. */
  sha: string;
  text: string;
}

export type StoreCall = CommandCall | ScriptCall | StampedCall;

interface CommandCall {
  /** A key or just its hash tag part, e.g. `{g12}`: decides the slot. */
  key: string;
  script?: undefined;
  /** The whole command. */
  args: (string | number)[];
  stamp?: undefined;
}

interface ScriptCall {
  key: string;
  /** Called with KEYS[1] = key and the args. */
  script: Script;
  args: (string | number)[];
  stamp?: undefined;
}

interface StampedCall {
  key: string;
  script: Script;
  args: (string | number)[];
  /**
   * Made anew whenever the call is sent, in front of the args. For what grows stale while a call waits or is sent
   * again, such as the time.
   */
  stamp: () => string | number;
}

/** What to send now. */
export function commandOf({ key, script, args, stamp }: StoreCall): Command {
  if (script === undefined) return args;
  const head = ['FCALL', script.name, 1, key];
  return stamp === undefined ? [...head, ...args] : [...head, stamp(), ...args];
}

export function loadCommand({ text }: Script): Command {
  return ['FUNCTION', 'LOAD', text];
}

/** Somebody else loaded it first. */
export function isLoaded(reply: Reply | undefined): boolean {
  return typeof reply === 'string' || (reply instanceof ReplyError && /already exists/.test(reply.text));
}

/** The server has lost the library, or never had it: the call was not carried out. */
export function isMissing(reply: Reply | undefined): boolean {
  return reply instanceof ReplyError && reply.text.startsWith('ERR Function not found');
}

/** About as many as it will be on the wire. */
export function bytesOf({ args }: StoreCall): number {
  let bytes = 100;
  for (const part of args) bytes += (typeof part === 'string' ? part.length : 8) + 8;
  return bytes;
}
