import type { CommandHome } from './home.ts';
import { longSpan, plural, span } from '../view/format.ts';
import { scopeWords } from '../view/scope-words.ts';
import { painter } from '../view/text.ts';
import { readJobFile, seedUrls } from './run.ts';

export function addValidateCommand({ program, context }: CommandHome): void {
  program
    .command('validate')
    .summary('check a job file without running it')
    .description('Checks a job file and says what it would do. Mistakes are shown with their line.')
    .argument('<job.yml>')
    .action(async (file: string) => {
      const { terminal } = context;
      const { job } = await readJobFile(file, context.cwd);
      const { pages, durationMs } = job.limits;
      const limits = [pages === undefined ? 'no page limit' : plural(pages, 'page')];
      if (durationMs !== undefined) limits.push(longSpan(durationMs));
      const facts = [
        `${painter(terminal.colour)('good', '✓')} ${file} is valid: ${job.name}`,
        `  scope   ${scopeWords(job, seedUrls(job))}`,
        `  seeds   ${plural(job.seeds.length, 'seed')}`,
        `  pace    ${span(job.politeness.gapMs)} between requests to a host`,
        `  limit   ${limits.join(', ')}`,
      ];
      for (const line of facts) terminal.out(`  ${line}\n`);
    });
}
