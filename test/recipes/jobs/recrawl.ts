import type { Asked, Reply } from '../lab-web.ts';
import { html, nothing, type Recipe } from '../recipe.ts';

type Day = Record<string, string>;
const days: [Day, Day] = [
  { '/': 'Front page', '/weather': 'Sunny', '/about': 'About us', '/old': 'Old story' },
  { '/': 'Front page', '/weather': 'Rain', '/about': 'About us', '/new': 'New story' },
];
/** The pages that the front page leads to, on both days. */
const links = ['/weather', '/about', '/old', '/new'].map((path) => `<a href="${path}">${path}</a>`).join(' ');

/** Turns to the second day before the second run. */
export function recrawl(): Recipe {
  const truth = days.map((day) => ({ ...day })) as typeof days;
  let today: Day = truth[0];
  const answer = ({ path, headers }: Asked): Reply | undefined => {
    const text = today[path];
    if (text === undefined) return undefined;
    const etag = `"${Buffer.from(text).toString('hex')}"`;
    if (headers['if-none-match'] === etag) return { status: 304, headers: { etag } };
    return { headers: { etag }, body: html(text, `<p>${text}</p>${path === '/' ? links : ''}`) };
  };
  return {
    ...nothing,
    name: 'recrawl',
    hosts: { 'news.example': answer },
    before(run) {
      if (run === 1) today = truth[1];
    },
    judge({ output }, web) {
      const [first, second] = truth;
      const paths = [...new Set([...Object.keys(first), ...Object.keys(second)])];
      const isSame = (path: string) => first[path] === second[path];
      const problems = paths.flatMap((path) => {
        const wanted = first[path] === undefined ? 'new' : second[path] === undefined ? 'gone' : 'changed';
        const lines = output
          .split('\n')
          .filter(
            (line) =>
              line.includes(`https://news.example${path} `) || line.endsWith(`https://news.example${path}`),
          );
        const right = isSame(path) ? lines.length === 0 : lines.length === 1;
        return right
          ? []
          : [`${path} is ${isSame(path) ? 'the same' : wanted}, reported ${lines.length} times`];
      });
      const unchanged = web.log.filter(({ status }) => status === 304).map(({ path }) => path);
      return [
        ...problems,
        ...paths
          .filter((path) => isSame(path) && !unchanged.includes(path))
          .map((path) => `${path} was sent again`),
      ];
    },
    /** As if another page had changed. */
    harm() {
      truth[1]['/about'] = 'About you';
    },
  };
}
