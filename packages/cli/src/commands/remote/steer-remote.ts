import { WebfarerError } from '@webfarer/protocol';
import { jsonLine } from '@webfarer/protocol/crawl';
import type { CliContext } from '../../context/context.ts';
import { clean } from '../../terminal/text.ts';
import { asking, findCrawl, reach, type RemoteOptions, whileWaiting } from './remote.ts';

const calls = { pause: 'pauseCrawl', resume: 'resumeCrawl', stop: 'stopCrawl' } as const;
export type SteeringVerb = keyof typeof calls;
const wanted = { pause: 'paused', resume: 'running', stop: 'stopped' } as const;

/** A stop finishes what is in flight and writes the outputs: longer than this is left to the coordinator. */
const PATIENCE_MS = 60_000;
const LOOK_MS = 250;

/** Pauses, resumes or stops a crawl at a coordinator, and waits until it has. */
export async function steerRemote(
  context: CliContext,
  verb: SteeringVerb,
  { named, ...options }: RemoteOptions & { named: string | undefined },
): Promise<void> {
  const { terminal } = context;
  const at = await reach(context, options);
  const { id, name } = await asking(context, at, findCrawl(context, at, named));
  await asking(context, at, at.api[calls[verb]]({ params: { crawl: id } }));
  const crawl = await whileWaiting(context, `${name} finishes what is in flight`, settled());
  if (options.json) return terminal.out(jsonLine(crawl));
  terminal.out(`  ${clean(name)}: ${crawl.state}\n`);

  async function settled() {
    for (const end = context.clock.now() + PATIENCE_MS; ; ) {
      const now = await at.api.getCrawl({ params: { crawl: id } });
      const isOver = now.state === 'finished' || now.state === 'limited';
      const isQuiet = verb === 'resume' || (now.progress?.inFlight ?? 0) === 0;
      if (isOver || (now.state === wanted[verb] && isQuiet)) return now;
      if (now.failure) {
        const { message, next } = now.failure;
        throw new WebfarerError(
          'conflict',
          `${name} cannot run: ${message}`,
          next === undefined ? {} : { next },
        );
      }
      if (context.clock.now() > end)
        throw new WebfarerError(
          'conflict',
          `${name} is ${now.state}, not ${wanted[verb]}, after ${PATIENCE_MS / 1_000} s`,
          {
            next: `It will be as soon as it can. What it waits for:  ${context.launcher} status --at ${at.url}`,
          },
        );
      await context.clock.sleep(LOOK_MS);
    }
  }
}
