import { useQuery } from '@tanstack/react-query';
import { useConnected } from './connected.tsx';

/** Whether crawls can be started here: a console on one machine shows one crawl, and takes no others. */
export function useTakesCrawls(): boolean {
  const { client } = useConnected();
  const { data } = useQuery({ queryKey: ['version'], queryFn: () => client.getVersion() });
  return data?.oneCrawl !== true;
}
