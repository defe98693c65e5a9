import { Button, SegmentedControl } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import type { Stay } from '@webfarer/protocol/job';
import { useState } from 'react';
import { useConnected } from '../api/connected.tsx';
import { Problem } from '../parts/notices.tsx';
import { useFormats, useText } from '../text/use-text.tsx';
import { type CrawlPlan, planOf, usualStay } from './crawl-plan.ts';

/** What a crawl of an address would do: read by the same rules as the coordinator's, with the rules of the network. */
export function CrawlPreview({ address, cancel }: { address: string; cancel: () => void }) {
  const { create } = useText();
  const { client } = useConnected();
  const navigate = useNavigate();
  const [stay, setStay] = useState<Stay>(() => usualStay(address));
  // One key for this preview: pressing twice starts one crawl.
  const [idempotencyKey] = useState(() => crypto.randomUUID());
  const plan = planOf({ address, stay });
  const start = useMutation({
    mutationFn: ({ input }: CrawlPlan) => client.createCrawl({ body: { job: input }, idempotencyKey }),
    onSuccess: ({ name }) => navigate({ to: '/crawls/$crawl', params: { crawl: name } }),
  });
  if (!plan)
    return (
      <p className="problem" role="alert">
        {create.invalid}
      </p>
    );
  const stays = (['path', 'host', 'site'] as const).filter((each) => each !== 'path' || plan.hasPath);
  return (
    <div className="preview">
      <h3>
        <bdi>{create.heading(plan.host)}</bdi>
      </h3>
      <Facts plan={plan} />
      {start.error ? <Problem error={start.error} /> : null}
      <div className="preview-foot">
        <SegmentedControl
          className="seg"
          aria-label={create.facts.scope}
          value={stay}
          onChange={(value) => setStay(value)}
          data={stays.map((each) => ({ value: each, label: create.scopes[each] }))}
        />
        <span className="soft">{create.nothingYet}</span>
        <Link to="/jobs/new" search={{ seed: address, stay }}>
          {create.allSettings}
        </Link>
        <Button variant="default" onClick={cancel}>
          {create.cancel}
        </Button>
        <Button loading={start.isPending} onClick={() => start.mutate(plan)}>
          {create.start}
        </Button>
      </div>
    </div>
  );
}

function Facts({ plan }: { plan: CrawlPlan }) {
  const { create } = useText();
  const { count, span } = useFormats();
  const rule = useRuleWords(plan.host);
  const { limits, politeness, fetch } = plan.job;
  const facts = [
    { name: create.facts.from, words: plan.seed },
    { name: create.facts.scope, words: scopeWords(plan, create) },
    { name: create.facts.robots, words: create.robots },
    { name: create.facts.pace, words: create.pace(span(politeness.gapMs)) },
    {
      name: create.facts.limits,
      words: create.limits(
        count(limits.pages ?? 0),
        count(limits.perHost.pages ?? limits.pages ?? 0),
        count(limits.depth ?? 0),
        span(limits.durationMs ?? 0),
      ),
    },
    { name: create.facts.types, words: fetch.types.save.join(', ') },
    { name: create.facts.rule, words: rule },
  ];
  return (
    <dl className="facts">
      {facts.map(({ name, words }) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>
            <bdi>{words}</bdi>
          </dd>
        </div>
      ))}
    </dl>
  );
}

function scopeWords(
  { job, host, site, folder }: CrawlPlan,
  words: ReturnType<typeof useText>['create'],
): string {
  const { stay } = job.scope;
  if (stay === 'path') return words.path(folder);
  if (stay === 'web') return words.web;
  // Addresses and one-word names have no subdomains.
  const hasSubdomains = /[a-z]/i.test(site) && site.includes('.');
  return stay === 'host' || !hasSubdomains ? words.host(host) : words.site(site);
}

/** What operators of this network decided for the host, whatever a job says. */
function useRuleWords(host: string): string {
  const { create, loading } = useText();
  const { span } = useFormats();
  const { client } = useConnected();
  const { data, isError } = useQuery({
    queryKey: ['host', host],
    queryFn: () => client.getHost({ params: { match: host.replace(/:\d+$/, '') } }),
  });
  if (isError) return create.ruleNone;
  if (!data) return loading;
  if (data.refused !== undefined) return create.ruleRefused(data.rule ?? data.refused);
  return data.gapMs === undefined ? create.ruleNone : create.ruleGap(span(data.gapMs));
}
