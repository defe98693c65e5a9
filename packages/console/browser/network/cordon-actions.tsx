import { Button } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { useConnected } from '../api/connected.tsx';
import { Problem } from '../parts/notices.tsx';
import { useText } from '../text/use-text.tsx';
import { Confirm } from './confirm.tsx';
import type { Cordon } from './use-fleet.ts';

type Doing = 'cordon' | 'uncordon' | 'drain';

/** Uncordon takes back both of the others and is done at once; they ask first. */
export function CordonActions({
  kind,
  id,
  cordon,
}: {
  kind: 'worker' | 'coordinator';
  id: string;
  cordon: Cordon;
}) {
  const { fleet: words } = useText();
  const { client, who } = useConnected();
  const [asking, setAsking] = useState<Doing>();
  const act = useMutation({
    mutationFn: async (doing: Doing) => {
      if (kind === 'worker') await client[`${doing}Worker`]({ params: { worker: id } });
      else await client[`${doing}Coordinator`]({ params: { coordinator: id } });
    },
  });
  if (who.scope !== 'admin') return null;
  const shown: Doing[] =
    cordon === 'active' ? ['cordon', 'drain'] : cordon === 'cordoned' ? ['uncordon', 'drain'] : ['uncordon'];
  return (
    <span className="cordon-actions">
      {act.error ? <Problem error={act.error} /> : null}
      {shown.map((doing) => (
        <Button
          key={doing}
          size="compact-xs"
          variant="default"
          aria-label={words.actionOn(words.actions[doing], id)}
          disabled={act.isPending}
          onClick={() => (doing === 'uncordon' ? act.mutate(doing) : setAsking(doing))}
        >
          {words.actions[doing]}
        </Button>
      ))}
      {asking === undefined ? null : (
        <Confirm
          title={words.actionOn(words.actions[asking], id)}
          doing={words.actions[asking]}
          cancel={() => setAsking(undefined)}
          confirm={() => {
            setAsking(undefined);
            act.mutate(asking);
          }}
        >
          <p>{words.means[kind][asking === 'drain' ? 'drain' : 'cordon']}</p>
        </Confirm>
      )}
    </span>
  );
}
