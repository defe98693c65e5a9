import type { Clock } from '@webfarer/protocol';
import type { LocalCrawls } from '../crawl/local-port.ts';
import type { AgentRules, Opener } from './agent-rules.ts';
import type { FolderTurns } from './folder-turns.ts';

/** What all tools work with: the engine, and the rules that hold for agents. */
export interface AgentWorld {
  local: LocalCrawls;
  clock: Clock;
  opener: Opener;
  rules: AgentRules;
  /** Crawls that only the tool that opens them works on: single pages, and maps. */
  turns: FolderTurns;
}

/** What a tool is told about the call. */
export interface ToolCall {
  /** The client no longer wants the answer. */
  signal: AbortSignal;
  /** Tells the client how far the work is, if it asked to be told. */
  progress(done: number, total: number, message: string): Promise<void>;
}

/** Clients give up after 60 s unless they were told otherwise. */
export const patienceMs = 45_000;
