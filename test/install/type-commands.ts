import { publicAddress } from './own-network.ts';
import { type SiteRequest, startExampleSite } from './example-site.ts';
import { type Ran, type Shell, type } from './shell.ts';

/** What this program is told, as JSON in its first argument. */
export interface Typing {
  shell: Shell;
  lines: string[];
  /** Pages of the site besides its lists. */
  leaves: number;
  /** Requests after which Ctrl-C is pressed on the first line. */
  interruptAfter: number;
  folder: string;
}

export interface Typed {
  ran: Ran[];
  /** What the site was asked for by each line. */
  asked: SiteRequest[][];
}

/** Run in a network of its own: serves example.org there, types the lines, prints what came of it. */
async function typeAll({ shell, lines, leaves, interruptAfter, folder }: Typing): Promise<Typed> {
  const site = await startExampleSite({ folder, leaves, address: publicAddress });
  const person: Shell = { ...shell, env: { ...shell.env, NODE_EXTRA_CA_CERTS: site.caFile } };
  const typed: Typed = { ran: [], asked: [] };
  for (const [n, line] of lines.entries()) {
    const before = site.requests.length;
    const enough = (): boolean => site.requests.length - before >= interruptAfter;
    typed.ran.push(await type(person, line, n === 0 ? enough : undefined));
    typed.asked.push(site.requests.slice(before));
  }
  await site.stop();
  return typed;
}

if (import.meta.main) {
  const typed = await typeAll(JSON.parse(process.argv[2] ?? '') as Typing);
  process.stdout.write(JSON.stringify(typed));
}
