import type { PageRecord } from '@webfarer/protocol';
import { isTrapHost } from '../fake-web/traps.ts';
import type { ExpectOptions, Expected } from '../fake-web/universe.ts';
import type { Web } from '../fake-web/web.ts';

export type JudgedRecord = Pick<PageRecord, 'url' | 'verdict' | 'reason' | 'status' | 'truncated'>;

export interface RecordFindings {
  expected: number;
  /** Distinct URLs with a record. */
  recorded: number;
  /** Expected, but without a record. */
  lost: number;
  /** Recorded, but not expected. */
  extra: number;
  /** Records beyond one per URL. */
  duplicates: number;
  /** Verdict, reason, status or truncation differ from the truth. */
  wrong: number;
  trapHosts: TrapFinding[];
  /** Trap hosts that cost more than the budget, were not tried at all, or ended for another reason. */
  trapViolations: number;
  /** The first few of each, for people. */
  recordExamples: { lost: string[]; extra: string[]; duplicates: string[]; wrong: string[] };
}

export interface TrapFinding {
  host: string;
  done: number;
  /** Records that are not done, by reason. */
  others: Record<string, number>;
}

const examples = 20;
/** Why a URL of a trap host may end undone. */
const trapReasons = new Set(['host-budget', 'site-budget', 'trap']);

export async function judgeRecords(input: {
  web: Web;
  expect: ExpectOptions;
  records: Iterable<JudgedRecord> | AsyncIterable<JudgedRecord>;
  hostPages: number;
}): Promise<RecordFindings> {
  const { web, expect } = input;
  /** Right outcomes, in words. A settled URL has its words replaced by nothing. */
  const right = new Map<string, string>();
  for (const one of web.expected(expect)) right.set(one.url, inWords(one));
  const traps = createTrapCounter(web, expect);
  const seen = new Set<string>();
  const found = { lost: [], extra: [], duplicates: [], wrong: [] } as RecordFindings['recordExamples'];
  let [extra, duplicates, wrong] = [0, 0, 0];
  for await (const record of input.records) {
    if (seen.has(record.url)) {
      duplicates++;
      if (found.duplicates.length < examples) found.duplicates.push(record.url);
      continue;
    }
    seen.add(record.url);
    const truth = right.get(record.url);
    if (truth === undefined) {
      if (traps.count(record)) continue;
      extra++;
      if (found.extra.length < examples) found.extra.push(`${record.url} ${inWords(record)}`);
    } else if (truth !== inWords(record)) {
      wrong++;
      if (found.wrong.length < examples)
        found.wrong.push(`${record.url} is ${inWords(record)}, not ${truth}`);
    }
  }
  let lost = 0;
  for (const [url, words] of right) {
    if (seen.has(url)) continue;
    lost++;
    if (found.lost.length < examples) found.lost.push(`${url} ${words}`);
  }
  const trapHosts = traps.findings();
  return {
    expected: right.size,
    recorded: right.size - lost + extra,
    lost,
    extra,
    duplicates,
    wrong,
    trapHosts,
    trapViolations: trapHosts.filter((one) => violates(one, input.hostPages)).length,
    recordExamples: found,
  };
}

/** Statuses of what was not kept are not compared: a refused or failed URL need not have one. */
function inWords(
  outcome: Pick<Expected, 'verdict' | 'reason'> & { status?: number; truncated?: string },
): string {
  const { verdict, reason, status, truncated } = outcome;
  const shown = verdict === 'done' ? ` ${status}` : '';
  return `${verdict}(${reason})${shown}${truncated === undefined ? '' : ` truncated ${truncated}`}`;
}

function createTrapCounter(web: Web, expect: ExpectOptions) {
  const hosts = web.trapHosts().filter((host) => expect.hosts?.(host) ?? true);
  const byName = new Map(hosts.map(({ name }) => [name, { host: name, done: 0, others: {} } as TrapFinding]));
  return {
    /** False when the record belongs to no trap host. */
    count(record: JudgedRecord): boolean {
      const name = /^http:\/\/([^/:]+)/.exec(record.url)?.[1] ?? '';
      const host = web.hostNamed(name);
      const finding = byName.get(name);
      if (finding === undefined || host === undefined || !isTrapHost(host)) return false;
      if (record.verdict === 'done') finding.done++;
      else finding.others[record.reason] = (finding.others[record.reason] ?? 0) + 1;
      return true;
    },
    findings: () => [...byName.values()],
  };
}

function violates(finding: TrapFinding, hostPages: number): boolean {
  const otherwise = Object.keys(finding.others).some((reason) => !trapReasons.has(reason));
  return finding.done === 0 || finding.done > hostPages || otherwise;
}
