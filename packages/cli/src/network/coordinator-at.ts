import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { type NetworkStatus, readCoordinatorCard } from '@webfarer/coordinator';
import { WebfarerError } from '@webfarer/protocol';
import { type ApiClient, clientOf, createClient, route } from '@webfarer/protocol/api';
import { shellWords } from '../context/command-line.ts';
import type { CliContext } from '../context/context.ts';
import { findFolder, shownPath } from '../folder/folders.ts';
import { fetchSoon, fetchStream } from './coordinator-fetch.ts';
import { givenToken } from './given-token.ts';

/** A coordinator that can be asked, wherever it runs. Refusals are in the words of the command line. */
export interface CoordinatorAt {
  readonly url: string;
  readonly api: ApiClient;
  /** The same, for answers that last as long as the coordinator has something to say. */
  readonly streams: ApiClient;
  status(): Promise<NetworkStatus>;
}

/** How a coordinator is named on the command line. */
export interface AtOptions {
  /** Its URL, or its data folder on this machine. */
  at?: string | undefined;
  tokenFile?: string | undefined;
}

type Context = Pick<CliContext, 'cwd' | 'token' | 'at' | 'launcher'>;

export function isAddress(named: string | undefined): named is string {
  return named !== undefined && /^https?:\/\//i.test(named);
}

/** The coordinator that is named, by option or environment, or else the only one here. */
export async function coordinatorAt(context: Context, options: AtOptions): Promise<CoordinatorAt> {
  const named = options.at ?? context.at;
  if (isAddress(named)) return await atAddress(context, named, options);
  const folder = named === undefined ? await folderHere(context) : await findFolder(named, context.cwd);
  const found = await coordinatorIn(context, folder, options);
  if (found) return found;
  throw new WebfarerError(
    'not-found',
    `${shownPath(folder, context.cwd)} is not the data folder of a coordinator.`,
    {
      next: 'Name the folder that a coordinator was started with as --data, or its URL.',
    },
  );
}

/** The coordinator of a data folder; undefined where the folder is none. */
export async function coordinatorIn(
  context: Context,
  folder: string,
  { tokenFile }: AtOptions,
): Promise<CoordinatorAt | undefined> {
  const card = await readCoordinatorCard(folder);
  if (card?.url === undefined) return undefined;
  const token = await givenToken(context, tokenFile ?? join(folder, 'operator.token'));
  return connected(context, { url: card.url, token: token ?? '', folder });
}

async function atAddress(context: Context, url: string, { tokenFile }: AtOptions): Promise<CoordinatorAt> {
  const token = await givenToken(context, tokenFile);
  if (token !== undefined) return connected(context, { url, token, folder: undefined });
  throw new WebfarerError('usage', `The coordinator at ${url} needs a token.`, {
    next: 'Pass operator.token from its --data folder with --token-file, or set WEBFARER_TOKEN.',
  });
}

/** How a command names the coordinator of a folder: not at all where it is the only one here. */
export async function atWords({ cwd }: Pick<Context, 'cwd'>, folder: string): Promise<string> {
  const here = await foldersHere(cwd).catch(() => []);
  return here.length === 1 && here[0] === folder ? '' : ` --at ${shellWords([shownPath(folder, cwd)])}`;
}

/** The only data folder here; undefined where there is none. */
export async function dataFolderHere(context: Context): Promise<string | undefined> {
  return (await foldersHere(context.cwd)).length === 0 ? undefined : await folderHere(context);
}

/** Whether commands without an address have a coordinator to go to. */
export async function hasCoordinatorHere({ cwd, at }: Pick<Context, 'cwd' | 'at'>): Promise<boolean> {
  return at !== undefined || (await foldersHere(cwd)).length > 0;
}

async function folderHere({ cwd, launcher }: Context): Promise<string> {
  const here = await foldersHere(cwd);
  const [only] = here;
  if (only !== undefined && here.length === 1) return only;
  if (only === undefined)
    throw new WebfarerError('not-found', 'There is no coordinator here.', {
      next: `Start one:  ${launcher} coordinator\nOr name one:  --at http://host:7311, --at FOLDER, or WEBFARER_AT in the environment`,
    });
  const names = here.map((folder) => shownPath(folder, cwd));
  throw new WebfarerError('usage', `There are ${here.length} coordinators here: ${names.join(', ')}`, {
    next: `Name the one you mean, for example --at ${names[0] ?? ''}`,
  });
}

/** This folder, or those in it, where they are data folders. */
async function foldersHere(cwd: string): Promise<string[]> {
  const inside = (await readdir(cwd, { withFileTypes: true }))
    .filter((entry) => entry.isDirectory())
    .map((entry) => join(cwd, entry.name));
  const found: string[] = [];
  for (const folder of [cwd, ...inside.toSorted()])
    if ((await readCoordinatorCard(folder).catch(() => undefined))?.url !== undefined) found.push(folder);
  return found;
}

interface Reached {
  url: string;
  token: string;
  /** Its data folder, where that is on this machine. */
  folder: string | undefined;
}

function connected(context: Context, reached: Reached): CoordinatorAt {
  const { url, token } = reached;
  const spoken = (error: unknown) => inWords(error, context, reached);
  return {
    url,
    api: speaking(createClient({ url, token, fetch: fetchSoon }), spoken),
    streams: speaking(createClient({ url, token, fetch: fetchStream }), spoken),
    status: () => askStatus(url, token).catch((error: unknown) => Promise.reject(spoken(error))),
  };
}

function speaking(api: ApiClient, spoken: (error: unknown) => unknown): ApiClient {
  type Call = (input?: unknown) => Promise<unknown>;
  const calls = Object.entries(api as unknown as Record<string, Call>).map(([name, call]) => [
    name,
    (input?: unknown) => call(input).catch((error: unknown) => Promise.reject(spoken(error) as Error)),
  ]);
  return Object.fromEntries(calls) as ApiClient;
}

/** What is not in the table of routes: all that a coordinator knows, for `status` and `top`. */
const statusTable = {
  status: route({
    method: 'GET',
    path: '/status',
    scope: 'operator',
    family: 'system',
    summary: 'Show all that the coordinator knows',
    answer: { kind: 'text', type: 'application/json' },
  }),
};

export async function askStatus(url: string, token: string): Promise<NetworkStatus> {
  let text = '';
  for await (const piece of await clientOf(statusTable, { url, token, fetch: fetchSoon }).status())
    text += piece;
  try {
    return JSON.parse(text) as NetworkStatus;
  } catch (cause) {
    throw new WebfarerError('link-lost', `${url} is not the address of a coordinator`, {
      next: 'Use the address that it printed: Listening on http://…',
      cause,
    });
  }
}

/** The API says what to request next; here it is what to type. */
function inWords(error: unknown, { launcher, cwd }: Context, { url, folder }: Reached): unknown {
  if (!(error instanceof WebfarerError)) return error;
  const { code, message } = error;
  if (code === 'link-refused')
    return new WebfarerError(code, `the coordinator at ${url} does not accept this token`, {
      next: 'Use operator.token from its --data folder: --token-file, or WEBFARER_TOKEN. A worker token is not accepted.',
      cause: error,
    });
  const restart = `Start it again:  ${launcher} coordinator --data ${shownPath(folder ?? '.', cwd)}`;
  const next = code === 'link-lost' && folder !== undefined ? restart : error.next;
  const typed = next
    ?.replace('GET /v1/crawls lists', `${launcher} ls lists`)
    .replace('GET /v1/schedules lists', `${launcher} schedule ls lists`);
  return new WebfarerError(code, message, { ...(typed === undefined ? {} : { next: typed }), cause: error });
}
