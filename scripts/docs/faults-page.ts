import { type LedgerLine, readLedger, sum } from '../../test/faults/ledger.ts';
import { type Row, rows } from '../../test/faults/rows.ts';
import { generated, table } from './markdown.ts';

const zeros = [
  'lost',
  'extra',
  'duplicates',
  'wrong',
  'disallowed',
  'gapViolations',
  'ended',
  'unfinished',
] as const;

/** `docs/faults.md`: the table is made from the ledger, which only the proof writes. */
export function faultsPage(ledger: LedgerLine[] = readLedger()): string {
  return `${generated}
${before}
${table(
  [
    'fault',
    'promised',
    'done',
    'crawls',
    'URLs',
    ...zeros.map((name) => `\`${name}\``),
    'repeats',
    'longest stall',
  ],
  rows.map((row) => tableRow(row, ledger)),
)}

${bounds(ledger)}

Of these on the latest state of the code that each row was tried on:

${table(
  ['fault', 'state', 'done', 'crawls', 'harm of any kind', 'repeats', 'longest stall'],
  rows.flatMap((row) => latestRow(row, ledger)),
)}

${pace(ledger)}

${after}`;
}

function tableRow(row: Row, ledger: LedgerLine[]): string[] {
  const all = ledger.filter((line) => line.row === row.name);
  const name = `\`${row.name}\`: ${row.what}`;
  const total = all.length > 0 ? all.reduce(sum) : undefined;
  if (!total) return [name, String(row.promised), '0', ...Array<string>(zeros.length + 4).fill('')];
  return [
    name,
    String(row.promised),
    String(total.faults),
    String(total.crawls),
    total.urls.toLocaleString('en'),
    ...zeros.map((zero) => String(total[zero])),
    String(total.repeats),
    `${(total.stallMs / 1_000).toFixed(1)} s`,
  ];
}

/** The ledger is in the order of the states: what came last counts most. */
function latestRow({ name }: Row, ledger: LedgerLine[]): string[][] {
  const line = ledger.findLast(({ row }) => row === name);
  if (!line) return [];
  const harm = zeros.reduce((own, zero) => own + line[zero], 0);
  const counts = [line.faults, line.crawls, harm, line.repeats].map(String);
  return [[`\`${name}\``, line.commit.slice(0, 7), ...counts, `${(line.stallMs / 1_000).toFixed(1)} s`]];
}

/** No harm in n faults does not mean that there is none: the rule of three. */
function bounds(ledger: LedgerLine[]): string {
  const faults = ledger.reduce((count, line) => count + line.faults, 0);
  const harm = ledger.reduce((count, line) => count + zeros.reduce((own, zero) => own + line[zero], 0), 0);
  const commits = new Set(ledger.map(({ commit }) => commit)).size;
  if (faults === 0) return 'Nothing has been counted yet.';
  const sum = `${faults.toLocaleString('en')} faults on ${commits} ${commits === 1 ? 'state' : 'states'} of the code`;
  return harm === 0
    ? `${sum}, none of which did harm. That bounds the share of harmful ones to ${((3 / faults) * 100).toFixed(2)} % (95 % confidence), not to zero; of one row, to 3 / done.`
    : `${sum}; the harm in the columns above was found by them. What became of it is said below.`;
}

/** What churn costs besides harm. */
function pace(ledger: LedgerLine[]): string {
  const found = ledger.flatMap(({ row, throughput }) =>
    row === 'churn' && throughput !== undefined ? [throughput] : [],
  );
  const rule =
    '`churn` also compares the rate of the crawl under it with the rate before: at least 0.7 of it.';
  return found.length === 0 ? rule : `${rule} ${Math.min(...found).toFixed(3)} was the least.`;
}

const before = `# Faults: what is promised, what was tried

Crawls of a web whose right answer is known are disturbed while they run, several faults in each, and judged by the
web's own log: what it was asked for, by whom, when. What the crawler reports about itself is not used.

\`\`\`
npm run prove -- faults --row worker-kill --count 20
\`\`\`
adds 20 faults of one row to the ledger (\`test/faults/ledger.jsonl\`), under the commit that last changed a package, so
a long row can be run in parts. \`--quick\` does a few of each and writes nothing.
`;

const after = `## How to read it
- **lost**: URLs that a right crawl records and this one did not. **extra**: the other way round. **duplicates**: records
  beyond one per URL. **wrong**: recorded with another outcome than the right one. **disallowed**: requests that
  robots.txt forbids. **gapViolations**: requests that came sooner after the end of the one before, to the same host, than
  the job, the host's crawl-delay and its Retry-After allow; two requests to one host at a time are among them.
  **ended**: processes that ended although no fault hit them. **unfinished**: crawls that did not finish although no
  further fault followed.
- **repeats**: URLs fetched again although the first fetch had been answered, because the process that fetched them died, froze or
  was disconnected before the result was stored. Allowed: *fetches may repeat, records may not.*
- **longest stall**: the longest time in which the web was asked for nothing at all while there was work. The hosts of one
  worker that died stall for longer: until the end of its lease, the longest fetch and the gap. A worker frozen right
  before it sends a request sends it when it is thawed (see below); where the others have finished meanwhile, the time
  until then counts here too. That is what the longest one of \`freeze\` is likely to be: 42 s, of a freeze of 52 s.

The tests use a gap of 100 ms and a timeout of 2 s, so leases of 6 s. With the default timeout of 30 s a lease is 90 s, and
the hosts of a worker that never returns wait for 90 + 30 s and the gap. A worker that is restarted in its own folder
frees its hosts at once. A page that was being fetched each time a worker died is given up after three deaths
(\`retries.poisonAfter\`); the tests, which kill workers for no fault of a page, allow 35. For the same reason they try a
page up to eight times and give a host up only after six silences in a row: a process that was frozen blames the host for
responses it missed. Hosts that never respond are left out, because waiting for them looks like a stall.

## Promised
*Every URL accepted is fetched at least once, or ends with a written reason. Every result is recorded exactly once. Fetches
may repeat; records may not.* *At most one request is in flight per host, and never less than the gap lies between the end
of one and the start of the next, measured at the host.* Both under every fault of the table, with \`durability: strict\`.

How: leases are fenced, so a worker that lost a host cannot report on it; the deadline of a lease counts for the worker from
the moment it asked, for the store from the moment it granted; a host stays held after its lease for as long as the longest
fetch and the gap (\`heldUntil\`); and links are stored in the same step as the outcome of the page they stand on.
[The frontier's page](frontier.md) has the rules and the promises of the store.

## Not promised
- That a process frozen between its last look at the clock and its first packet sends nothing: no other process can prevent
  that. The look happens right before a connection is opened and again right before a request is written; \`prove -- faults
  --row freeze\` measures the time in between (\`checkToSynUs\`, \`checkToSendUs\`): half of the time below 0.1 ms each.
- Anything when all disks of one shard of the store are lost, or the disk of the only coordinator.
- That bodies which a worker saved on its own disk survive that disk. Their records do.
- How long it takes: a crawl whose store has no majority, or whose only replica of a shard is unreachable, waits.

## Defects it found
- A worker frozen while a connection was being opened sent its request when it was thawed, whatever the time: it heard of the
  connection before it heard of its deadline. Now the clock is looked at once more right before anything is sent.
- A coordinator whose disk was full at the moment its crawl ended stopped with \`ENOSPC\` (the \`ended\` of \`disk-full\`). It now waits
  for room for the files of the crawl, and says so.
- A worker that was reset while a coordinator that had just been started turned it away ended that coordinator. Nothing
  was lost, but anyone who could reach the port could do it.
- What the only coordinator had granted just before it died was stored, but its worker never received it: the host stalled
  until the lease and the longest fetch were over. Now the worker, when it is back, says what it holds, and all else
  is free at once.
- While the only coordinator was down, leases expired that could not be renewed, and what had been fetched under them was fetched
  again: 21 pages for each kill (most of the repeats of its row). Now leases are renewed when it is back: about one page.
- A coordinator that served a crawl to its end waited 20 s for workers that had died and come back.
- Workers looked for a coordinator that had been down for a few seconds only after as many more.
- A coordinator of a store that was started again when the crawl had just been finished said so and never ended, also with
  \`--until-done\`: it began to take part after it had been stopped.
- A coordinator that was started again in the moment in which a server of the store was catching up refused that store and
  ended (the \`ended\` of \`everything\`). It now looks again for 5 s.
- One crawl under \`everything\` stalled, the one \`unfinished\` of the table. It came back when coordinators were killed
  while they started, which the proof now does to one in four: everything was fetched and recorded, but the crawl was never declared
  finished. A coordinator that is started offers its seeds and says so, so that the others do not end before they are
  there; killed in that moment, it was waited for for five minutes. Now who offers seeds says so every 2 s, and is waited for
  for 10 s at most. That crawl is not judged; as the proof broke off there without writing its line, the 85 faults up to it
  were entered by hand.
- A coordinator that failed when its crawl was open already, such as because the store was away when it was to be counted
  among the others, would have said so and lived on without a port (found by reading). Now it is counted when the store is
  back; and whatever else fails, it ends.

## Controls
A proof that cannot fail shows nothing. The same crawls are run on two copies of the source that differ in one rule each: one
does not compare fences, the other does not hold a host that is leased. In both the judge must find violations, or the
proof fails.
`;
