/** `[origin, path, parent, outcome, linked from]`. The parent is -1 for a seed, -2 for a page no links lead to. */
export type PageRow = [number, string, number, number, number];

/** `[host, x, y, harmonic centrality, linked from, links to, color, 1 if it was crawled]`. */
export type HostRow = [string, number, number, number, number, number, number, 0 | 1];

export interface ExplorerPages {
  origins: string[];
  /** Nearest to a seed first. */
  rows: PageRow[];
  total: number;
  unreached: number;
}

export interface ExplorerHosts {
  rows: HostRow[];
  links: (readonly [number, number])[];
  total: number;
}

/** What the explorer page carries as JSON. */
export interface ExplorerData {
  pages: ExplorerPages;
  hosts: ExplorerHosts;
  /** Names and colors of outcomes, by the number in a page's row. */
  outcomes: readonly { name: string; tone: string }[];
}
