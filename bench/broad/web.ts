/** A web to crawl, served by a process of its own. */
export interface Web {
  seeds: string[];
  inside: string;
  ca?: string;
  facts: Record<string, unknown>;
  stop(): Promise<void>;
}
