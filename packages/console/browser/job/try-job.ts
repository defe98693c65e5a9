import { withField } from '@webfarer/protocol/job';

/** By which a crawl that was only tried is known, so that it can be deleted without a question. */
export const tryTag = 'try';
const tryPages = 20;

/** The same job, for a few pages and under another name. */
export function tryOf(text: string, name: string): string {
  return withField(withField(text, ['name'], name), ['limits', 'pages'], tryPages);
}

export const isTry = ({ name, tags }: { name: string; tags: readonly string[] }): boolean =>
  tags.includes(tryTag) && /-try-[0-9a-f]{4}$/.test(name);
