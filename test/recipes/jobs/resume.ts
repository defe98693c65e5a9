import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Site } from '../lab-web.ts';
import { html, jsonLines, nothing, type Recipe, served, siteOf, unlike } from '../recipe.ts';

const paths = ['/', ...Array.from({ length: 7 }, (_, n) => `/page-${n}`)];
const links = paths.map((path) => `<a href="${path}">${path}</a>`).join(' ');

/** Committed before the kill, as the crawl itself reported. Its last line may be torn. */
function committed(folder: string): string[] {
  return readFileSync(join(folder, 'events.jsonl'), 'utf8')
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line) as { type: string; record?: { url: string } })
    .flatMap(({ type, record }) =>
      type === 'record' && record ? [record.url.replace('https://example.org', '')] : [],
    );
}

/** The site stops answering after a few pages until the second run, so the first can never end by itself. */
function patientSite(): { site: Site; release(): void } {
  const pages = siteOf(Object.fromEntries(paths.map((path) => [path, html(path, links)])));
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  let answered = 0;
  return {
    release,
    async site(asked) {
      if (paths.includes(asked.path) && ++answered > 4) await released;
      return pages(asked);
    },
  };
}
const { site, release } = patientSite();

export const resume: Recipe = {
  ...nothing,
  name: 'resume',
  hosts: { 'example.org': site },
  before(run) {
    if (run === 1) release();
  },
  judge({ folder }, web) {
    const asked = served(web.log).map(({ path }) => path);
    const before = committed(folder);
    const records = jsonLines<{ url: string }>(
      readFileSync(join(folder, 'example.org.crawl/results.jsonl'), 'utf8'),
    );
    return [
      ...unlike('pages', asked, paths),
      ...(before.length >= 3 && before.length < paths.length
        ? []
        : [`${before.length} pages before the kill`]),
      ...before.flatMap((path) =>
        asked.filter((other) => other === path).length === 1
          ? []
          : [`${path} was committed and requested again`],
      ),
      ...paths.flatMap((path) =>
        records.filter(({ url }) => url === `https://example.org${path}`).length === 1
          ? []
          : [`${path} is not recorded once`],
      ),
    ];
  },
  harm({ folder }, web) {
    const [path] = committed(folder);
    const line = web.log.find((one) => one.path === path);
    if (line) web.log.push(line);
  },
};
