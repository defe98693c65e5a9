import { Button } from '@mantine/core';
import { useSearch } from '@tanstack/react-router';
import { useCallback } from 'react';
import { useConnected } from '../api/connected.tsx';
import { EmptyState } from '../parts/notices.tsx';
import { textsText } from '../text/texts-text.ts';
import { useTextOf } from '../text/use-text.tsx';
import type { UrlList } from '../urls/url-list.ts';
import { CopyLine } from '../parts/copy-line.tsx';
import { dataSearchIn } from './data-search.ts';
import { FoundList } from './found-list.tsx';
import { allTextsCommand, exportTexts, searchCommand, textFetcher, type TextRow } from './text-log.ts';
import { TextTable } from './text-table.tsx';

/** Answers without a text until it asks whether to look further: many crawls save none. */
const mostEmpty = 10;

/** The texts of pages that a crawl saved as Markdown, and how to get them. */
export function Texts({ crawl }: { crawl: string }) {
  const words = useTextOf(textsText);
  const { client } = useConnected();
  const { q = '' } = dataSearchIn({ ...useSearch({ from: '/crawls/$crawl/data' }) });
  const open = useCallback(
    (q: string) => ({
      options: { fetchPage: textFetcher({ client, crawl, q }), ...(q === '' ? { mostEmpty } : {}) },
      more: undefined,
    }),
    [client, crawl],
  );
  return (
    <FoundList
      crawl={crawl}
      view="texts"
      words={words}
      open={open}
      exported={(q, options) => exportTexts({ client, crawl, q }, options)}
      elsewhere={<SearchWords q={q} />}
      nothing={(list) => <NoTexts list={list} />}
      table={(list) => (
        <>
          <TextTable crawl={crawl} list={list} />
          <AllTexts crawl={crawl} />
        </>
      )}
    />
  );
}

/** Teaches how a crawl comes to have texts. */
function NoTexts({ list }: { list: UrlList<TextRow> }) {
  const words = useTextOf(textsText);
  const { isWhole } = list.state();
  return (
    <EmptyState title={isWhole ? words.empty : words.emptySoFar}>
      <p>{words.emptyLead}</p>
      <CopyLine text={words.emptyCommand} />
      <p className="soft">{words.emptyMore}</p>
      {isWhole ? null : (
        <Button variant="default" onClick={() => list.goOn()}>
          {words.goOn}
        </Button>
      )}
    </EmptyState>
  );
}

function AllTexts({ crawl }: { crawl: string }) {
  const words = useTextOf(textsText);
  return (
    <section className="panel part replay" aria-labelledby="all-texts">
      <h2 id="all-texts">{words.all}</h2>
      <p>{words.allInFolder}</p>
      <CopyLine text="tar -czf texts.tar.gz -C FOLDER markdown" />
      <p>{words.allWithToken}</p>
      <CopyLine text={allTextsCommand(location.origin, crawl)} />
      <SearchWords q="" />
    </section>
  );
}

/** The list here knows titles and addresses; the words of the texts are searched where the texts are. */
function SearchWords({ q }: { q: string }) {
  const words = useTextOf(textsText);
  return (
    <>
      <p>{words.search}</p>
      <CopyLine text={searchCommand(q)} />
      <p className="soft small">{words.folder}</p>
    </>
  );
}
