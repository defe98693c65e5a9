import { useQuery } from '@tanstack/react-query';
import { useConnected } from '../api/connected.tsx';

const none: readonly string[] = [];
/** As many as one list of a form can hold; others are typed. */
const most = 200;

export function usePolicyNames(): readonly string[] {
  const { client } = useConnected();
  const { data } = useQuery({
    queryKey: ['policy names'],
    queryFn: async () =>
      (await client.listPolicies({ query: { limit: most } })).items.map(({ name }) => name),
    staleTime: 30_000,
  });
  return data ?? none;
}
