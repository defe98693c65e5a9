import { WebfarerError } from '@webfarer/protocol';
import { type ReactNode, useEffect, useState } from 'react';
import { openClient } from '../api/client.ts';
import { type Connected, ConnectedProvider } from '../api/connected.tsx';
import { openLive } from '../api/live.ts';
import { keptValues } from '../history/kept-values.ts';
import { createRateBook } from '../api/rate-book.ts';
import { createTokenKeeper } from '../api/token-keeper.ts';
import { LogInScreen, type Refusal } from './log-in-screen.tsx';

/** Lists that are kept for the way back. Each holds the rows around its view. */
const mostLists = 6;

type Gate = { at: 'looking' } | { at: 'out'; refusal?: Refusal } | { at: 'in'; connected: Connected };

interface LogInGateProps {
  children: ReactNode;
  /** Of the one-time link that opened this page. */
  code: string | undefined;
  forget: () => void;
}

/** Shows the console to those whom the coordinator knows: by a token, a one-time link, or a session of an OpenID provider. */
export function LogInGate({ children, code, forget }: LogInGateProps) {
  const [keeper] = useState(() =>
    createTokenKeeper({
      storage: sessionStorage,
      lasting: localStorage,
      channel: new BroadcastChannel('webfarer'),
      answerMs: 150,
    }),
  );
  const [gate, setGate] = useState<Gate>({ at: 'looking' });

  async function enter(token: string | undefined): Promise<void> {
    const client = openClient(token);
    try {
      const who = await client.getOwnToken();
      if (!['viewer', 'operator', 'admin'].includes(who.scope))
        return setGate({ at: 'out', refusal: { why: 'scope', scope: who.scope } });
      if (token !== undefined) keeper.keep(token);
      const live = openLive(token, () => {
        live.close();
        keeper.forgetHere();
        forget();
        setGate({ at: 'out', refusal: { why: 'ended' } });
      });
      const connected: Connected = {
        client,
        live,
        rates: createRateBook(),
        lists: keptValues(mostLists),
        who,
        logOut: () => void endSession(),
      };
      setGate({ at: 'in', connected });

      async function endSession(): Promise<void> {
        live.close();
        forget();
        try {
          // A session ends at the coordinator; a token is only forgotten.
          if (token === undefined) await client.logOut();
        } catch {
          // Its cookie still opens the console, also after a reload.
          return setGate({ at: 'out', refusal: { why: 'stillIn' } });
        }
        keeper.forget();
        setGate({ at: 'out' });
      }
    } catch (error) {
      const isRefused = error instanceof WebfarerError && /^(link-refused|forbidden)$/.test(error.code);
      if (isRefused) keeper.forget();
      // Without a token nobody was refused: the session has just ended.
      if (isRefused && token === undefined) return setGate({ at: 'out' });
      setGate({ at: 'out', refusal: { why: isRefused ? 'refused' : 'unreachable' } });
    }
  }

  /** A link that was used before does no harm in a browser that is logged in. */
  async function enterByLink(given: string): Promise<void> {
    try {
      await enter((await openClient(undefined).redeemLink({ body: { code: given } })).token);
    } catch {
      const known = await keeper.find();
      if (known === undefined) setGate({ at: 'out', refusal: { why: 'link' } });
      else await enter(known);
    }
  }

  useEffect(() => {
    keeper.onForgotten(() => location.reload());
    if (code !== undefined) return void enterByLink(code);
    void keeper.find().then((token) => {
      if (token === undefined && !keeper.mayHaveSession()) setGate({ at: 'out' });
      else void enter(token);
    });
    // oxlint-disable-next-line react-hooks/exhaustive-deps: once, when the page opens
  }, [keeper]);

  if (gate.at === 'in') return <ConnectedProvider value={gate.connected}>{children}</ConnectedProvider>;
  if (gate.at === 'looking') return null;
  return <LogInScreen refusal={gate.refusal} submit={enter} expectSession={keeper.expectSession} />;
}
