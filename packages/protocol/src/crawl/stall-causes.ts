interface StallMeaning {
  meaning: string;
  /** False: nothing a worker reports can be acknowledged while it lasts, so `/ready/acknowledges` answers 503. */
  acknowledges: boolean;
}

const serves = (meaning: string): StallMeaning => ({ meaning, acknowledges: true });
const blocks = (meaning: string): StallMeaning => ({ meaning, acknowledges: false });

/**
 * The closed table of reasons why a crawl makes no progress. The live view, `status`, the event `crawl-stalled` and `/ready`
 * all name one of these, as `stallOf` finds it.
 */
export const stallCauses = {
  starting: blocks('the coordinator is starting up'),
  operator: serves('an operator has paused the crawl'),
  limit: serves('a limit of the crawl was reached'),
  quota: serves('a quota of the team is used up'),
  store: blocks('the store is unreachable'),
  'store-full': blocks('the store is out of memory (maxmemory)'),
  'store-replicas': blocks('a shard of the store has fewer replicas than durability: strict waits for'),
  'store-backlog': serves('the store holds as many results as it may; they are being written to files'),
  disk: blocks('the disk is nearly full'),
  'min-free': serves('a disk has less free space than limits.minFree of the crawl'),
  'object-storage': serves('the object storage that the crawl saves to fails'),
  saving: serves('what the crawl saves its captures with fails: a folder, a server or a module'),
  'no-network': serves('this machine has no network'),
  'no-worker': serves('no worker is connected, or all of them are cordoned'),
  'workers-disk': serves('all connected workers have paused because their disks are full'),
  'workers-offline': serves('all connected workers are without a network'),
  'workers-unable': serves('no connected worker can work on the crawl, for reasons on their machines'),
  'workers-lost': serves('workers that hold URLs have disconnected; their leases have not expired yet'),
  'connections-held': serves('every connection is held by a host that pauses between two requests'),
  gap: serves('the pause between two requests to a host'),
  'crawl-delay': serves('robots.txt asks for a delay between requests'),
  rule: serves('a host rule asks for a longer pause between requests'),
  slow: serves('the host responds slowly, so it is contacted less often'),
  'retry-after': serves('the host asked for a delay (Retry-After)'),
  'server-errors': serves('the host answers with errors (429 or 5xx)'),
  login: serves('the account for the site is logged out; a person can log in again with webfarer login'),
  robots: serves('robots.txt could not be read yet'),
  'dns-failed': serves('the DNS servers do not respond'),
  'connect-refused': serves('the host refuses the connection'),
  'connect-timeout': serves('the host does not answer the connection attempt'),
  unreachable: serves('there is no route to the host'),
  'no-ipv6': serves('the host has only IPv6 addresses, and there is no IPv6 route to it'),
  'tls-error': serves('the secure connection cannot be made'),
  'proxy-failed': serves('the proxy cannot be reached or refuses'),
  'connection-lost': serves('the host drops connections, or responds too slowly'),
  trouble: serves('the host had trouble'),
  suspect: serves(
    'a worker gave the host back: it cannot work on the crawl now, or a URL that ended workers is tried alone',
  ),
  held: serves('another worker may still be talking to the host'),
  'other-crawl': serves('another crawl on this machine has its turn on the host'),
} as const satisfies Record<string, StallMeaning>;

export type StallCause = keyof typeof stallCauses;

/** Why a crawl makes no progress at this moment. */
export interface Stall {
  cause: StallCause;
  /** One phrase for a person, with figures: what happened, not what to do. */
  text: string;
  host?: string;
  /** Milliseconds until the next attempt; absent when unknown. */
  retryInMs?: number;
}

/** Whether a coordinator can acknowledge what workers report. */
export function acknowledges({ cause }: Pick<Stall, 'cause'>): boolean {
  return stallCauses[cause].acknowledges;
}

const leftOutCauses = {
  'min-free': 'min-free',
  'object-storage': 'object-storage',
  storage: 'saving',
  'store-silent': 'saving',
} as const satisfies Record<string, StallCause>;

/** Why a worker has left a crawl out, by the code of its error. */
export function leftOutCause(code: string): StallCause {
  return code in leftOutCauses ? leftOutCauses[code as keyof typeof leftOutCauses] : 'workers-unable';
}
