import type { OutcomeReason } from '@webfarer/protocol';
import { reasonName, reasonSentence } from '../view/wording.ts';
import type { BrokenLink, UncheckedLink } from './link-report.ts';

/** What is wrong with a link, where the table of reasons does not have it. */
const ownSentences: Record<string, string> = {
  'anchor-missing': 'the page has no such id or name',
  'redirect-loop': 'redirects in a circle',
  'redirect-invalid': 'redirects to no valid URL',
  'redirect-limit': 'too many redirects in a row',
  invalid: 'not a valid URL',
  'anchor-unread': 'the anchor was not looked up: the page was not read, or its body was not kept',
  scripted: 'the anchor was not looked up: a script makes this page',
  'not-reached': 'not requested before the crawl ended',
  'not-followed': 'not requested',
  scope: 'leads out of the crawl, which did not check such links',
};

/** `404`, `TLS error`, `no such anchor`: for a narrow column. */
export function shortWord({ status, reason, kind }: BrokenLink): string {
  if (kind === 'anchor') return 'anchor';
  if (kind === 'address') return 'invalid';
  if (reason.startsWith('redirect-')) return 'redirects';
  return String(status ?? reasonName(reason as OutcomeReason));
}

export function brokenWords({ status, reason, detail, via = [] }: BrokenLink): string {
  const path = via.length === 0 ? '' : `redirects to ${via.join(', then ')}: `;
  const what = reason.startsWith('http-') && status !== undefined ? `answered ${status}` : sentence(reason);
  return `${path}${what}${detail === undefined || detail === String(status) ? '' : ` (${detail})`}`;
}

export function uncheckedWords({ reason, detail }: Pick<UncheckedLink, 'reason' | 'detail'>): string {
  return `${sentence(reason)}${detail === undefined ? '' : ` (${detail})`}`;
}

function sentence(reason: string): string {
  return ownSentences[reason] ?? reasonSentence(reason);
}
