/** One line of the fault table: what is done to a network, and how often it must have been done without harm. */
export interface Row {
  name: string;
  /** What happens, for people who read the table. */
  what: string;
  /** Faults promised before a release; the ledger says how many there were. */
  promised: number;
}

export const rows = [
  {
    name: 'worker-kill',
    what: '`kill -9` of a worker, which comes back after a moment',
    promised: 200,
  },
  {
    name: 'coordinator-kill',
    what: '`kill -9` of one of three coordinators, every 20th time of all three',
    promised: 100,
  },
  {
    name: 'coordinator-kill-sqlite',
    what: '`kill -9` of the only coordinator, which keeps its frontier in SQLite',
    promised: 50,
  },
  {
    name: 'primary-kill',
    what: '`kill -9` of a primary of the store, which comes back after up to 2.5 s',
    promised: 30,
  },
  {
    name: 'store-kill',
    what: '`kill -9` of all servers of a shard, or of a replica, which come back after up to 2.5 s; the store keeps 5 results of a group, the rest is in files',
    promised: 30,
  },
  {
    name: 'partition',
    what: 'a primary, a coordinator and a worker cut off from all the others, until another primary is elected',
    promised: 20,
  },
  {
    name: 'freeze',
    what: '`SIGSTOP` of any process for 0.1 to 60 s',
    promised: 60,
  },
  {
    name: 'network',
    what: 'resets, cut frames, black holes, half-open links, delay and slowness between workers and coordinators',
    promised: 50,
  },
  {
    name: 'churn',
    what: 'a coordinator or worker joins or leaves every 2 s',
    promised: 150,
  },
  {
    name: 'store-memory',
    what: 'a primary of the store without memory (`maxmemory`), until it is given more',
    promised: 20,
  },
  {
    name: 'disk-full',
    what: 'the disk of a worker or a coordinator full, until there is room',
    promised: 20,
  },
  {
    name: 's3',
    what: 'errors, lost and truncated replies, cut requests, silence and slowness of object storage, `kill -9` of its server and of workers',
    promised: 200,
  },
  {
    name: 'everything',
    what: 'kills of workers, coordinators and primaries, freezes and network faults at random, two at a time',
    promised: 150,
  },
] as const satisfies Row[];

export type RowName = (typeof rows)[number]['name'];
