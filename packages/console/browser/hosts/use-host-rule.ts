import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useConnected } from '../api/connected.tsx';
import { type DoneWish, fulfil, type HostWish, type RuleHolder, takeBack } from './host-wish.ts';

/** Sets a rule for a host, and can take back the last one. */
export function useHostRule() {
  const { client } = useConnected();
  const whose = useRuleHolder();
  const queries = useQueryClient();
  const [done, setDone] = useState<DoneWish>();
  const onSettled = async () => {
    await queries.invalidateQueries({ queryKey: ['hosts'] });
    await queries.invalidateQueries({ queryKey: ['host-rules'] });
  };
  const set = useMutation({
    mutationFn: ({ host, wish }: { host: string; wish: HostWish }) => fulfil(client, { host, wish, whose }),
    onSuccess: setDone,
    onSettled,
  });
  const undo = useMutation({
    mutationFn: (wish: DoneWish) => takeBack(client, wish),
    onSuccess: () => setDone(undefined),
    onSettled,
  });
  return { set, undo, done, whose };
}

/** In whose crawls a rule would hold that this person sets. */
export function useRuleHolder(): RuleHolder {
  return useConnected().who.scope === 'admin' ? 'all' : 'team';
}
