import { QueryClient, useQuery } from '@tanstack/react-query';
import type { AboutCrawler } from '@webfarer/protocol/api';
import { WebfarerError } from '@webfarer/protocol';
import { useState } from 'react';
import { Providers } from '../app/providers.tsx';
import { CopyBlock } from '../parts/copy-block.tsx';
import { Globe } from '../parts/icons.tsx';
import { languageNames, useSpeech, useTextOf } from '../text/use-text.tsx';
import { ownersText } from '../text/owners-text.ts';
import { ownerClient } from './owner-client.ts';
import { OwnerSteps } from './owner-steps.tsx';
import '../style/owners.css';

/** The page for the owners of sites: public, without a log-in. */
export function OwnersApp() {
  const [queries] = useState(() => new QueryClient({ defaultOptions: { queries: { retry: 1 } } }));
  return (
    <Providers queries={queries}>
      <OwnersPage />
    </Providers>
  );
}

function OwnersPage() {
  const words = useTextOf(ownersText);
  const { text, language, speak } = useSpeech();
  const { data, error } = useQuery({ queryKey: ['about'], queryFn: () => ownerClient.aboutCrawler() });
  const isOff = error instanceof WebfarerError && error.code === 'not-found';
  return (
    <>
      <header className="bar">
        <div className="wrap bar-row">
          <a href="/owners" className="brand" aria-label={text.product}>
            <Globe />
            <span>{text.product}</span>
          </a>
          <div className="owner-languages">
            {languageNames.map(({ id, name }) => (
              <button
                key={id}
                type="button"
                lang={id}
                aria-pressed={id === language}
                onClick={() => speak(id)}
              >
                {name}
              </button>
            ))}
          </div>
        </div>
      </header>
      <main className="wrap owners">
        {isOff ? (
          <>
            <h1>{words.off}</h1>
            <p className="lead">{words.offLead}</p>
          </>
        ) : (
          <>
            <h1>{words.title}</h1>
            <p className="lead">{words.lead}</p>
            {data ? <About about={data} /> : <p>{error ? words.unreachable : words.loading}</p>}
          </>
        )}
        <p className="soft owner-foot">
          <a href="/">{words.operators}</a>
        </p>
      </main>
    </>
  );
}

function About({ about }: { about: AboutCrawler }) {
  const words = useTextOf(ownersText);
  const { copy, copied } = words;
  const rule = (line: string) => `User-agent: ${about.robotsName}\n${line}`;
  return (
    <>
      <section className="panel part" aria-labelledby="who">
        <h2 id="who">{words.who}</h2>
        {about.text === undefined ? null : <p className="own-words">{about.text}</p>}
        <dl className="facts">
          <div>
            <dt>{words.runBy}</dt>
            <dd>{about.name}</dd>
          </div>
          <div>
            <dt>{words.contact}</dt>
            <dd>
              <a href={about.contact} rel="noreferrer">
                {about.contact.replace(/^mailto:/, '')}
              </a>
            </dd>
          </div>
          <div>
            <dt>{words.userAgent}</dt>
            <dd>
              <code>{about.userAgent}</code>
            </dd>
          </div>
          {about.addresses.length > 0 ? (
            <div>
              <dt>{words.addresses}</dt>
              <dd>
                <code>{about.addresses.join(', ')}</code>
              </dd>
            </div>
          ) : null}
          {about.directory === undefined ? null : (
            <div>
              <dt>{words.signed}</dt>
              <dd>{words.signedBy(about.directory)}</dd>
            </div>
          )}
        </dl>
      </section>
      <section className="panel part" aria-labelledby="now">
        <h2 id="now">{words.now}</h2>
        <p className="soft">{words.nowLead}</p>
        <OwnerSteps />
      </section>
      <section className="panel part" aria-labelledby="robots">
        <h2 id="robots">{words.robots}</h2>
        <p className="soft">{words.robotsLead}</p>
        <div className="copy-blocks">
          <CopyBlock text={rule('Disallow: /')} label={words.stopAll} copy={copy} copied={copied} />
          <CopyBlock text={rule('Crawl-delay: 60')} label={words.slower} copy={copy} copied={copied} />
          <CopyBlock text={rule('Disallow: /private/')} label={words.keepOut} copy={copy} copied={copied} />
        </div>
        <h3>{words.codes}</h3>
        <dl className="facts">
          {Object.values(words.answers).map(([answer, what]) => (
            <div key={answer}>
              <dt>{answer}</dt>
              <dd>{what}</dd>
            </div>
          ))}
        </dl>
      </section>
    </>
  );
}
