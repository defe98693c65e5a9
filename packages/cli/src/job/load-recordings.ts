import { readFileSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import { type JobInput, WebfarerError } from '@webfarer/protocol';
import { checkJob, type JobProblem, type PrepareJob, showPath } from '@webfarer/protocol/job';
import { normaliser } from '@webfarer/protocol/url';
import { translateRecording, type WrittenStep } from './recording.ts';

/** Larger files are refused unread: a recording of a hundred steps is a tenth of it. */
const maxFileBytes = 1_000_000;

/** Puts the steps of recordings in their place, so that a job is whole wherever it is sent. */
export function loadRecordings(folder: string): PrepareJob {
  return (written) => {
    const problems: JobProblem[] = [];
    if (!isFields(written) || !Array.isArray(written.steps)) return { input: written, problems };
    const steps = (written.steps as unknown[]).map((rule, i) => {
      const path = ['steps', i, 'recording'];
      if (!isFields(rule) || typeof rule.recording !== 'string' || rule.do !== undefined) return rule;
      const made = ruleOf({ ...rule, recording: rule.recording }, { folder, job: written });
      if (made.ok) return made.rule;
      problems.push(...made.problems.map((message) => ({ path, message })));
      return rule;
    });
    return { input: { ...written, steps }, problems };
  };
}

/** The same for a job that a program wrote. */
export function withRecordings(input: JobInput, folder: string): JobInput {
  const { input: whole, problems } = loadRecordings(folder)(input);
  if (problems.length === 0) return whole as JobInput;
  const lines = problems.map(({ path, message }) => `${showPath(path)}: ${message}`);
  throw new WebfarerError('job-invalid', `The job is not valid: ${lines.join('\n')}`);
}

type Fields = Record<string, unknown>;
type Made = { ok: true; rule: { pages: unknown; do: WrittenStep[] } } | { ok: false; problems: string[] };

function ruleOf(
  { recording: name, ...rule }: Fields & { recording: string },
  { folder, job }: { folder: string; job: Fields },
): Made {
  const read = textOf(resolve(folder, name));
  if (!read.ok) return { ok: false, problems: [`cannot read ${name}: ${read.why}`] };
  const translated = translateRecording(read.text);
  if (!translated.ok) return { ok: false, problems: translated.problems.map((each) => `${name}: ${each}`) };
  const pages = rule.pages ?? (translated.page === undefined ? undefined : exactly(translated.page, job));
  if (pages === undefined)
    return { ok: false, problems: [`${name} does not say on which page it was made: add pages to the rule`] };
  return { ok: true, rule: { ...rule, pages, do: translated.steps } };
}

function textOf(path: string): { ok: true; text: string } | { ok: false; why: string } {
  try {
    if (statSync(path).size > maxFileBytes) return { ok: false, why: 'it is too large for a recording' };
    return { ok: true, text: readFileSync(path, 'utf8') };
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    return { ok: false, why: code === 'ENOENT' ? 'there is no such file' : message };
  }
}

/** The page of an address, as the crawl will know it, and no other. */
function exactly(address: string, job: Fields): { regex: string } | undefined {
  const checked = checkJob({ ...job, steps: [] });
  // A job that is wrong elsewhere is refused for that.
  const rules = checked.ok ? checked.job.normalise : { enabled: false, sort: false, strip: [] };
  const url = normaliser(rules)(address);
  return url && { regex: `^${url.replaceAll(/[\\^$.*+?()[\]{}|]/g, '\\$&')}$` };
}

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
