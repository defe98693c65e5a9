import { type Job, WebfarerError } from '@webfarer/protocol';
import { scopeCovers } from '@webfarer/protocol/api';
import { isBoundedRegexp } from '@webfarer/protocol/node';
import type { Principal } from './call.ts';

/**
 * Settings that reach beyond the public web: files and code of the machines that work on a job, private addresses, other
 * people's proxies and resolvers, all the time of a processor. On one machine the user who starts a crawl owns all of these; over the API only an
 * admin does.
 */
export function powersOf(job: Job): string[] {
  const { seeds, fetch, identity, scraper, save } = job;
  const powers: [string, boolean][] = [
    ['seeds: { file }', seeds.some((seed) => 'file' in seed)],
    ['fetch.allowPrivate', fetch.allowPrivate.length > 0],
    ['fetch.proxy', fetch.proxy.some(({ use }) => use !== 'direct')],
    ['fetch.dns', fetch.dns.length > 0],
    ['fetch.ports', fetch.ports !== 'safe'],
    ['fetch.cookies: a file', fetch.cookieFile !== undefined],
    ['login', job.login.length > 0],
    ['fetch.ca', fetch.ca !== undefined],
    ['identity.key', identity?.keyFile !== undefined],
    ['scraper: a module', scraper.kind === 'module'],
    ['steps: fromEnv', envNames(job).length > 0],
    ['mirror.folder', job.mirror?.folder !== undefined],
    ['save: a module', save.some(({ kind }) => kind === 'module')],
    [
      'a regular expression with look-around, a back-reference or a count above 16',
      regexesOf(job).some((source) => !isBoundedRegexp(source.replaceAll('{seeds}', '(?:x)'))),
    ],
  ];
  return powers.filter(([, isUsed]) => isUsed).map(([name]) => name);
}

/** Throws where a job asks for more than its sender may, or for what only the coordinator decides. */
export function refuseJobPowers(job: Job, principal: Principal): void {
  refuseStore(job);
  refuse(powersOf(job), principal);
}

/** The same for an edit: who edits a job of an admin may keep what is in it, but neither add to it nor change it. */
export function refuseNewPowers({ before, after }: { before: Job; after: Job }, principal: Principal): void {
  refuseStore(after);
  const isSame = JSON.stringify(powerSettings(before)) === JSON.stringify(powerSettings(after));
  refuse(isSame ? [] : powersOf(after), principal);
}

function refuseStore({ store }: Job): void {
  if (store === undefined) return;
  throw new WebfarerError(
    'usage',
    'the job names a store, but the coordinator decides where crawls are kept',
    {
      next: 'Remove store from the job.',
    },
  );
}

/** Every regular expression of a job: those of workers run there, those of its scope also at the coordinator. */
function regexesOf(job: Job): string[] {
  const { scope, files, urlRules, labels, fetch, scraper, steps, extract, render } = job;
  const patterns = [
    ...scope.include,
    ...scope.exclude,
    ...(files?.from ?? []),
    ...labels.flatMap(({ match }) => match),
    ...(typeof render === 'string' ? [] : render.flatMap(({ match = [] }) => match)),
    ...[...extract, ...steps].flatMap(({ pages = [] }) => pages),
    ...(scraper.kind === 'links' ? scraper.follow : []),
    ...[...urlRules, ...fetch.proxy].flatMap(({ match, unless }) => [match ?? '', unless ?? '']),
  ];
  const found = patterns.flatMap((pattern) => (typeof pattern === 'string' ? [] : [pattern.regex]));
  for (const { from } of extract.flatMap(({ fields }) => fields)) if ('regex' in from) found.push(from.regex);
  return scraper.kind === 'ids' ? [...found, scraper.find] : found;
}

/** Variables of the environment of workers that the job types somewhere. */
function envNames({ steps }: Job): string[] {
  return steps
    .flatMap((rule) => rule.steps)
    .flatMap(({ action }) => (action.kind === 'type' && 'env' in action.from ? [action.from.env] : []));
}

function powerSettings(job: Job): unknown {
  const { seeds, fetch, identity, scraper, save } = job;
  const { allowPrivate, proxy, dns, ports, cookieFile, ca } = fetch;
  const files = seeds.filter((seed) => 'file' in seed);
  const modules = [scraper, ...save].filter(({ kind }) => kind === 'module');
  const regexes = regexesOf(job).filter((source) => !isBoundedRegexp(source));
  const named = [job.mirror?.folder, cookieFile, ca, identity?.keyFile];
  // Where it is typed matters as much as what.
  const typed = envNames(job).length > 0 ? [seeds, job.steps] : [];
  return [typed, files, modules, named, allowPrivate, proxy, dns, ports, regexes, job.login];
}

function refuse(powers: readonly string[], { scope }: Principal): void {
  if (powers.length > 0 && !scopeCovers(scope, 'admin'))
    throw new WebfarerError(
      'forbidden',
      `the job has settings that need an admin token: ${powers.join(', ')}`,
      {
        next: 'Remove them, or use a token with the scope admin.',
      },
    );
}
