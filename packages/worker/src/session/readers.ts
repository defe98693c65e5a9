import { logInByForm } from '../site-login/form-login.ts';
import type { SiteLogin } from '../site-login/site-login.ts';
import { restForLogin } from './logged-out.ts';
import { createLoginWay } from './login-requests.ts';
import { type HostSession, restHost } from './session.ts';
import type { Visits } from './visits.ts';

/** As whom pages of a host are read. */
export interface Reader {
  /** Undefined: as anybody. */
  login: SiteLogin | undefined;
  /** The session, with what requests carry of the account. */
  own: HostSession;
  /** Undefined: pages are read as they come. */
  visits: Visits | undefined;
}

export interface Readers {
  /** Whoever reads the next page; undefined: the host must be given back. */
  next(): Promise<Reader | undefined>;
  close(): Promise<void>;
}

/** How often it is looked whether an account is free that reads pages of another host. */
const LOOK_MS = 250;

/** Of several accounts the one whose turn is first reads the next page; one that is logged out is left out meanwhile. */
export function createReaders(
  own: HostSession,
  createVisits: (session: HostSession) => Visits | undefined,
  heldPauseMaxMs: number,
): Readers {
  const { context, held, host, parts } = own;
  const { clock } = parts;
  const logins = context.logins?.all(held.lease.host) ?? [];
  const readers = logins.map((login) => {
    const mine = { ...own, context: { ...context, ...context.logins?.as(login) } };
    return { login, own: mine, visits: createVisits(mine) };
  });
  type Account = (typeof readers)[number];
  const anybody: Reader | undefined =
    readers.length === 0 ? { login: undefined, own, visits: createVisits(own) } : undefined;

  /** Nothing is asked for with an account that is out, but what brings it back. */
  async function bringBack(): Promise<boolean> {
    const nobody = readers.every(({ login }) => !login.isIn);
    for (const { login, own: mine } of readers) {
      if (login.isIn || (!nobody && !login.isWorthALook())) continue;
      const isBack = await login.recover((one, form) => logInByForm(one, form, createLoginWay(mine)));
      if (isBack && !(await own.pace())) return false;
      if (isBack && nobody) break;
    }
    return true;
  }

  async function waitFor({ login }: Account): Promise<boolean> {
    const now = clock.now();
    const { readyAtMs } = login;
    const isKnown = Number.isFinite(readyAtMs);
    // Others can use the connection meanwhile.
    if (isKnown && readyAtMs - now > heldPauseMaxMs) {
      host.endedAtMs ??= now;
      restHost(host, { untilMs: readyAtMs, why: 'gap', detail: `the gap of the account ${login.rule.as}` });
      return false;
    }
    const wakeUp = AbortSignal.any([parts.halt, parts.drop, held.lost]);
    await clock.sleep(isKnown ? readyAtMs - now : LOOK_MS, wakeUp).catch(() => undefined);
    return await own.pace();
  }

  return {
    async next() {
      if (anybody) return anybody;
      for (;;) {
        if (!(await bringBack())) return undefined;
        const [first] = readers
          .filter(({ login }) => login.isIn)
          .toSorted((a, b) => a.login.readyAtMs - b.login.readyAtMs);
        if (first && first.login.readyAtMs <= clock.now()) return first;
        if (first && (await waitFor(first))) continue;
        const [out] = readers;
        if (!first && out) restForLogin(out.own, out.login);
        return undefined;
      }
    },
    async close() {
      for (const { visits } of anybody ? [anybody] : readers) await visits?.close();
    },
  };
}
