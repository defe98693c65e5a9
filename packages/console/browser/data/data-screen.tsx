import { Link, useParams, useSearch } from '@tanstack/react-router';
import { CrawlHead } from '../parts/crawl-head.tsx';
import { TabRow } from '../parts/tab-row.tsx';
import { dataText } from '../text/data-text.ts';
import { useTextOf } from '../text/use-text.tsx';
import { useCrawlFigures } from '../urls/use-crawl-figures.ts';
import { Compare } from './compare.tsx';
import { type DataView, dataSearchIn, dataViews } from './data-search.ts';
import { Files } from './files.tsx';
import { Items } from './items.tsx';
import { lazyView } from './lazy-view.tsx';
import '../style/urls.css';
import '../style/url.css';
import '../style/data.css';

const views: Readonly<Record<DataView, (props: { crawl: string }) => React.ReactNode>> = {
  items: Items,
  texts: lazyView(async () => (await import('./texts.tsx')).Texts),
  files: Files,
  compare: Compare,
  statistics: lazyView(async () => (await import('./stats/statistics.tsx')).Statistics),
  graph: lazyView(async () => (await import('./graph/graph.tsx')).Graph),
};

/** What a crawl brought home: items, the files that it wrote, and what is new since an earlier crawl. */
export function DataScreen() {
  const words = useTextOf(dataText);
  const { crawl } = useParams({ from: '/crawls/$crawl/data' });
  const { view = 'items' } = dataSearchIn({ ...useSearch({ from: '/crawls/$crawl/data' }) });
  const { state } = useCrawlFigures(crawl);
  const View = views[view];
  return (
    <>
      <CrawlHead crawl={crawl} name={crawl} state={state} title={words.title} />
      <TabRow label={words.views} current={view}>
        {dataViews.map((each) => (
          <Link
            key={each}
            to="/crawls/$crawl/data"
            params={{ crawl }}
            search={each === 'items' ? {} : { view: each }}
            className="tab"
            activeOptions={{ exact: true, includeSearch: true }}
            aria-current={each === view ? 'page' : undefined}
          >
            {words.view[each]}
          </Link>
        ))}
      </TabRow>
      <View key={view} crawl={crawl} />
    </>
  );
}
