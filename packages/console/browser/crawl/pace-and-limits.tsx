import { Button, NumberInput } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { CrawlDetail } from '@webfarer/protocol/api';
import { type FormEvent, useState } from 'react';
import { useConnected, useMayOperate } from '../api/connected.tsx';
import { Problem } from '../parts/notices.tsx';
import { useFormats, useText } from '../text/use-text.tsx';
import { changesBetween, type Settings, settingsOf } from './job-settings.ts';

const fields = ['gapSeconds', 'pages', 'hours'] as const;

/** Pace and limits of a crawl, changed while it runs. Somebody else's change in between is not overwritten. */
export function PaceAndLimits({ crawl }: { crawl: CrawlDetail }) {
  const { settings: words } = useText().crawl;
  const { separators } = useFormats();
  const { client } = useConnected();
  const queries = useQueryClient();
  const mayOperate = useMayOperate();
  const [before] = useState(() => settingsOf(crawl.job));
  const [now, setNow] = useState(before);
  const save = useMutation({
    mutationFn: (changes: Record<string, unknown>) =>
      client.editCrawl({ params: { crawl: crawl.id }, body: { changes, version: crawl.version } }),
    onSuccess: () => queries.invalidateQueries(),
  });
  if (!before || !now) return null;
  const changes = changesBetween(before, now);
  const isChanged = Object.keys(changes).length > 0;

  function submit(event: FormEvent): void {
    event.preventDefault();
    if (isChanged) save.mutate(changes);
  }

  const labels: Record<keyof Settings, string> = {
    gapSeconds: words.gap,
    pages: words.pages,
    hours: words.hours,
  };
  return (
    <section className="panel part" aria-labelledby="settings">
      <h2 id="settings">{words.title}</h2>
      <p className="soft">{words.lead}</p>
      {/* How deep links are followed decides which URLs belong to the crawl: it is changed where one sees what that does. */}
      <p className="soft">
        <Link to="/crawls/$crawl/scope" params={{ crawl: crawl.name }} search={{}}>
          {words.scope}
        </Link>
      </p>
      <form className="settings" onSubmit={submit}>
        {fields.map((field) => (
          <NumberInput
            key={field}
            label={labels[field]}
            value={now[field]}
            onChange={(value) => setNow({ ...now, [field]: typeof value === 'number' ? value : '' })}
            min={0}
            step={field === 'gapSeconds' ? 0.5 : 1}
            allowDecimal={field === 'gapSeconds' || field === 'hours'}
            placeholder={words.unlimited}
            thousandSeparator={separators.thousands}
            decimalSeparator={separators.decimal}
            suffix={field === 'gapSeconds' ? ` ${words.seconds}` : ''}
            hideControls
            disabled={!mayOperate}
          />
        ))}
        {save.error ? <Problem error={save.error} /> : null}
        <Button type="submit" disabled={!isChanged || !mayOperate} loading={save.isPending}>
          {words.save}
        </Button>
      </form>
    </section>
  );
}
