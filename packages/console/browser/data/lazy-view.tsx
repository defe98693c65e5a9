import { type ComponentType, lazy, Suspense } from 'react';
import { useText } from '../text/use-text.tsx';

type View = ComponentType<{ crawl: string }>;

/** A view whose files load when it is looked at. */
export function lazyView(load: () => Promise<View>) {
  const Loaded = lazy(async () => ({ default: await load() }));
  return function LazyView({ crawl }: { crawl: string }) {
    const { loading } = useText();
    return (
      <Suspense fallback={<p className="soft">{loading}</p>}>
        <Loaded crawl={crawl} />
      </Suspense>
    );
  };
}
