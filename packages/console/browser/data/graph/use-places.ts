import type { HostGraph } from '@webfarer/protocol/api';
import { useEffect, useState } from 'react';
import { placeHosts, type Places } from './layout.ts';

/** Where each host stands; undefined while that is worked out. */
export function usePlaces(graph: HostGraph | undefined): Places | undefined {
  const [found, setFound] = useState<{ of: HostGraph; places: Places }>();
  useEffect(() => {
    if (!graph) return;
    const abort = new AbortController();
    const { signal } = abort;
    void placeHosts({
      hosts: graph.hosts.length,
      links: graph.links,
      groups: graph.hosts.map(({ group }) => group),
      pause: () => new Promise((resolve) => setTimeout(resolve)),
      signal,
    }).then((places) => {
      if (!signal.aborted) setFound({ of: graph, places });
    });
    return () => abort.abort();
  }, [graph]);
  return found?.of === graph ? found?.places : undefined;
}
