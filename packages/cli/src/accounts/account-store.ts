import { randomBytes, randomUUID } from 'node:crypto';
import { mkdir, readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { WebfarerError } from '@webfarer/protocol';
import type { LoginRule } from '@webfarer/protocol/job';
import { createDurably, writeDurably } from '@webfarer/protocol/node';
import type { Account, AccountSource } from '@webfarer/worker';
import { readSecretFile } from '../secrets/given-secrets.ts';
import { keyOf, newSalt, type Sealed, seal, type SealingKey, unseal } from './sealed.ts';

/** Accounts of sites on this machine, encrypted, outside of every crawl folder. */
export interface AccountStore {
  list(): Promise<AccountName[]>;
  read(name: Pick<LoginRule, 'site' | 'as'>): Promise<Account | undefined>;
  /** A person has logged in: replaces what was there. */
  write(name: Pick<LoginRule, 'site' | 'as'>, account: Account, nowMs: number): Promise<void>;
  /** False: there was none. */
  remove(name: Pick<LoginRule, 'site' | 'as'>): Promise<boolean>;
  /** For a crawl. */
  source(name: Pick<LoginRule, 'site' | 'as'>): AccountSource;
}

export interface AccountName {
  site: string;
  as: string;
  savedAtMs: number;
}

export interface AccountPlace {
  folder: string;
  /** From the environment; absent: the key is a file beside the accounts. */
  key: string | undefined;
}

interface AccountFile extends AccountName {
  revision: string;
  sealed: Sealed;
}

/** The cookies that a crawl was left with. Of an earlier login they are worth nothing. */
interface SessionFile {
  revision: string;
  sealed: Sealed;
}

const keyName = 'accounts.key';
/** What keys are derived with from a passphrase. Each account says it too, so that it can be opened without this file. */
const saltName = 'accounts.salt';
const extension = '.account';
const onlyOwner = { mode: 0o600 };

export function openAccountStore({ folder, key: given }: AccountPlace): AccountStore {
  const keys = new Map<string | undefined, Promise<SealingKey>>();
  const pathOf = ({ site, as }: Pick<LoginRule, 'site' | 'as'>) =>
    join(folder, `${encodeURIComponent(site)}~${encodeURIComponent(as)}${extension}`);
  const sessionOf = (name: Pick<LoginRule, 'site' | 'as'>) => `${pathOf(name)}.session`;

  /** Made with the first account, and never replaced: what it has sealed would be lost. */
  async function keyText(): Promise<string> {
    if (given !== undefined) return given;
    await mkdir(folder, { recursive: true, mode: 0o700 });
    const file = join(folder, keyName);
    await createDurably(file, `${randomBytes(32).toString('base64')}\n`, onlyOwner);
    return await readSecretFile(file, 'the key of the accounts');
  }

  /** Deriving one takes time and memory on purpose, so it is done once. */
  function keyWith(salt: string | undefined): Promise<SealingKey> {
    const key = keys.get(salt) ?? keyText().then((text) => keyOf(text, salt));
    keys.set(salt, key);
    return key;
  }

  /** A key that a person gave may be a passphrase; the one in the file was made by chance. */
  async function sealingKey(): Promise<SealingKey> {
    if (given === undefined) return await keyWith(undefined);
    await mkdir(folder, { recursive: true, mode: 0o700 });
    const file = join(folder, saltName);
    await createDurably(file, `${newSalt()}\n`, onlyOwner);
    return await keyWith((await readFile(file, 'utf8')).trim());
  }

  async function fileOf(name: Pick<LoginRule, 'site' | 'as'>): Promise<AccountFile | undefined> {
    const text = await readFile(pathOf(name), 'utf8').catch(ifAbsent);
    return text === undefined ? undefined : (JSON.parse(text) as AccountFile);
  }

  async function open({ site, as, revision, sealed }: AccountFile): Promise<Account> {
    try {
      return JSON.parse(
        unseal(sealed, nameOf({ site, as, revision }), await keyWith(sealed.salt)),
      ) as Account;
    } catch {
      throw new WebfarerError('usage', `the account ${as} of ${site} cannot be opened with this key`, {
        next: `Set WEBFARER_ACCOUNTS_KEY as it was, or log in again:  webfarer login https://${site}/ --as ${as}`,
      });
    }
  }

  async function sessionFor({ site, as, revision }: AccountFile): Promise<string | undefined> {
    const text = await readFile(sessionOf({ site, as }), 'utf8').catch(ifAbsent);
    if (text === undefined) return undefined;
    try {
      const kept = JSON.parse(text) as SessionFile;
      if (kept.revision !== revision) return undefined;
      const key = await keyWith(kept.sealed.salt);
      return unseal(kept.sealed, `session ${nameOf({ site, as, revision })}`, key);
    } catch {
      // It was only to save a login.
      return undefined;
    }
  }

  return {
    async list() {
      const names = (await readdir(folder).catch(() => [])).filter((name) => name.endsWith(extension));
      const files = await Promise.all(
        names.map(async (name) => JSON.parse(await readFile(join(folder, name), 'utf8')) as AccountFile),
      );
      return files
        .map(({ site, as, savedAtMs }) => ({ site, as, savedAtMs }))
        .toSorted((a, b) => `${a.site} ${a.as}`.localeCompare(`${b.site} ${b.as}`));
    },
    async read(name) {
      const file = await fileOf(name);
      return file && (await open(file));
    },
    async write({ site, as }, account, savedAtMs) {
      await mkdir(folder, { recursive: true, mode: 0o700 });
      const revision = randomUUID();
      const sealed = seal(JSON.stringify(account), nameOf({ site, as, revision }), await sealingKey());
      const file: AccountFile = { site, as, savedAtMs, revision, sealed };
      await writeDurably(pathOf({ site, as }), `${JSON.stringify(file)}\n`, onlyOwner);
    },
    async remove(name) {
      const isThere = (await fileOf(name)) !== undefined;
      await rm(sessionOf(name), { force: true });
      await rm(pathOf(name), { force: true });
      return isThere;
    },
    source: (name) => ({
      revision: async () => (await fileOf(name))?.revision,
      async read() {
        const file = await fileOf(name);
        if (!file) return undefined;
        const { revision } = file;
        const session = await sessionFor(file);
        const account = await open(file);
        return { revision, account, ...(session === undefined ? {} : { session }) };
      },
      async keepSession(revision, jar) {
        if ((await fileOf(name))?.revision !== revision) return;
        const { site, as } = name;
        const sealed = seal(jar, `session ${nameOf({ site, as, revision })}`, await sealingKey());
        const file: SessionFile = { revision, sealed };
        await writeDurably(sessionOf(name), `${JSON.stringify(file)}\n`, onlyOwner);
      },
    }),
  };
}

function nameOf({ site, as, revision }: Pick<AccountFile, 'site' | 'as' | 'revision'>): string {
  return `${site}\n${as}\n${revision}`;
}

function ifAbsent(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ENOENT') throw error;
  return undefined;
}
