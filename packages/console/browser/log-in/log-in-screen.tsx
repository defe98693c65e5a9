import { Button, PasswordInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { openClient } from '../api/client.ts';
import { Globe } from '../parts/icons.tsx';
import { useText } from '../text/use-text.tsx';

export type Refusal =
  | { why: 'refused' | 'unreachable' | 'link' | 'ended' | 'stillIn' }
  | { why: 'scope'; scope: string };

interface LogInScreenProps {
  refusal: Refusal | undefined;
  submit: (token: string) => Promise<void>;
  /** The person goes to the OpenID provider and comes back with a session. */
  expectSession: () => void;
}

export function LogInScreen({ refusal, submit, expectSession }: LogInScreenProps) {
  const text = useText();
  const [token, setToken] = useState('');
  const [isBusy, setBusy] = useState(false);
  const { data: about, isPending } = useQuery({
    queryKey: ['version'],
    queryFn: () => openClient(undefined).getVersion(),
  });
  const hasProvider = about?.logIn === true;
  const back = encodeURIComponent(location.pathname + location.search);

  function send(event: FormEvent): void {
    event.preventDefault();
    setBusy(true);
    void submit(token.trim()).finally(() => setBusy(false));
  }

  // What it offers is known in a moment, and nothing then moves.
  if (isPending && refusal === undefined) return null;
  return (
    <main className="log-in">
      <form className="panel" onSubmit={send}>
        <div className="brand">
          <Globe />
          <span>{text.product}</span>
        </div>
        <h1>{text.logIn.title}</h1>
        {refusal?.why === 'ended' || refusal?.why === 'stillIn' ? (
          <p className="ended" role="alert">
            {text.logIn[refusal.why]}
          </p>
        ) : (
          <p className="lead">{text.logIn.lead}</p>
        )}
        {hasProvider ? (
          <>
            <Button component="a" href={`/v1/session/log-in?to=${back}`} onClick={expectSession} fullWidth>
              {text.logIn.provider}
            </Button>
            <p className="or">
              <span>{text.logIn.or}</span>
            </p>
          </>
        ) : null}
        <PasswordInput
          label={text.logIn.token}
          description={text.logIn.where}
          value={token}
          onChange={(event) => setToken(event.currentTarget.value)}
          autoComplete="off"
          spellCheck={false}
          autoFocus={!hasProvider}
          error={refusal && wordsOf(refusal, text.logIn)}
        />
        <Button
          type="submit"
          variant={hasProvider ? 'default' : 'filled'}
          loading={isBusy}
          disabled={token.trim() === ''}
          fullWidth
        >
          {text.logIn.submit}
        </Button>
        <p className="soft">{text.logIn.keep}</p>
      </form>
    </main>
  );
}

/** Of a token that was entered; what became of a session stands above. */
function wordsOf(refusal: Refusal, words: ReturnType<typeof useText>['logIn']): string | undefined {
  if (refusal.why === 'ended' || refusal.why === 'stillIn') return undefined;
  if (refusal.why === 'scope') return words.scope(refusal.scope);
  return words[refusal.why];
}
