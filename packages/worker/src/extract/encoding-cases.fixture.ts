import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { charsetOf, decodeText } from './charset.ts';

export interface EncodingRun {
  cases: number;
  /** How often each accepted difference was met. */
  accepted: Record<string, number>;
  /** `FILE: wanted X, found Y` of every other one. */
  differences: string[];
}

/** The encoding that html5lib says a page declares, against the one we find. */
export function runEncodingCases(folder: string, find: (body: Buffer) => string = charsetOf): EncodingRun {
  const run: EncodingRun = { cases: 0, accepted: {}, differences: [] };
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' });
  for (const file of files.filter((name) => name.endsWith('.dat'))) {
    const text = readFileSync(join(folder, file), 'latin1');
    for (const part of text.split(/^#data\n/m).slice(1)) {
      const [data = '', answer = ''] = part.split(/\n#encoding\n/);
      const body = Buffer.from(data, 'latin1');
      const wanted = (answer.split('\n')[0] ?? '').trim().toLowerCase();
      const found = find(body);
      run.cases += 1;
      if (found === wanted) continue;
      const reason = reasonFor(file, body, [wanted, found]);
      if (reason === undefined) run.differences.push(`${file}: wanted ${wanted}, found ${found}`);
      else run.accepted[reason] = (run.accepted[reason] ?? 0) + 1;
    }
  }
  return run;
}

function reasonFor(file: string, body: Buffer, [wanted, found]: [string, string]): string | undefined {
  if (file.startsWith('scripted')) return 'a script would have to run';
  if (wanted === 'windows-1252' && found === 'utf-8' && decodeText(body, wanted) === decodeText(body, found))
    return 'nothing is declared, and either name reads the same';
  return undefined;
}
