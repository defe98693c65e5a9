import type { Readable, Writable } from 'node:stream';
import type { DatedClock } from '@webfarer/protocol';
import type { StoreUrlOptions } from '@webfarer/protocol/job';
import type { LocalCrawls } from '../crawl/local-port.ts';
import type { Terminal } from '../terminal/terminal.ts';

/** The world as the commands see it. main.ts makes it from the process, tests from fakes. */
export interface CliContext {
  terminal: Terminal;
  /** For data in bulk, at the pace its reader takes it. */
  stdout: Writable;
  clock: DatedClock;
  cwd: string;
  version: string;
  /** How this program was called: `webfarer` or `npx webfarer`. */
  launcher: string;
  /** The words after it, to print the same command again. */
  argv: readonly string[];
  local: LocalCrawls;
  /** Where local crawls agree on who contacts a host; absent: each crawl for itself. */
  ledger?: string;
  /** What options of services may be set by; absent: nothing. */
  environment?: Readonly<Record<string, string | undefined>>;
  /** From the environment: what lets a worker in, or an operator. */
  token?: string;
  /** From the environment: the coordinator that commands go to, as `--at` names one. */
  at?: string;
  /** From the environment: addresses that may hold passwords, and a private key. */
  secrets?: {
    store?: string;
    storeOptions?: StoreUrlOptions;
    proxy?: string;
    credentials?: string;
    identityKey?: string;
  };
  /** Ctrl-C and the like. Answers how to stop listening. */
  onInterrupt(handler: () => void): () => void;
  /** SIGUSR2: write down what there is. Answers how to stop listening. */
  onDumpSignal(handler: () => void): () => void;
  /** Single keys, on an interactive terminal. */
  onKey?(handler: (key: string) => void): () => void;
  /** Shows a file in the program its owner likes, where there is a desktop. */
  openFile?(path: string): void;
  /** Where the built files of the web console are; absent: as installed. */
  consoleFolder?: string;
  /** Leaves at once, because a person has asked three times. */
  exitNow(code: number): void;
  /** Questions, on an interactive terminal. */
  ask?: Ask;
  /** For lines of code, on an interactive terminal. */
  prompt?: { input: Readable; output: Writable; historyFile: string };
  /** What another program or a file gives as input; absent on a terminal and where nothing can come. */
  piped?: Readable;
}

export interface Ask {
  text(question: {
    message: string;
    placeholder?: string;
    initial?: string;
    check?: (value: string) => string | undefined;
  }): Promise<string>;
  choose<T extends string>(question: {
    message: string;
    choices: { value: T; label: string; hint?: string }[];
    initial: T;
  }): Promise<T>;
}
