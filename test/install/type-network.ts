import { spawn } from 'node:child_process';
import { type SiteRequest, startExampleSite } from './example-site.ts';
import { publicAddress } from './own-network.ts';
import { type Ran, type Shell, type } from './shell.ts';

/** What this program is told, as JSON in its first argument. */
export interface NetworkTyping {
  shell: Shell;
  /** The five commands, in order: the first two stay. */
  lines: string[];
  /** Pages of the site besides its lists. */
  leaves: number;
  folder: string;
}

export interface NetworkTyped {
  /** What the two that stay printed until they were stopped, and their exit codes. */
  stayed: Ran[];
  ran: Ran[];
  asked: SiteRequest[];
  /** The last command, typed before the one that adds the schedule, and what the site was asked for until then. */
  tooEarly: Ran;
  askedTooEarly: number;
}

const deadlineMs = 120_000;

interface Staying {
  printed(text: string): Promise<void>;
  /** Presses Ctrl-C. */
  stop(): Promise<Ran>;
}

/** A command that keeps its terminal. */
function stay({ folder, env }: Shell, line: string): Staying {
  const child = spawn('sh', ['-c', `exec ${line}`], {
    cwd: folder,
    env,
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const over = new Promise<number>((done) => child.on('close', (code) => done(code ?? 128)));
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk: Buffer) => (output += chunk.toString()));
  return {
    async printed(text) {
      for (const end = performance.now() + deadlineMs; !output.includes(text); ) {
        if (performance.now() > end || child.exitCode !== null)
          throw new Error(`${line} did not print "${text}": ${output.slice(-1_000)}`);
        await new Promise((next) => setTimeout(next, 20));
      }
    },
    async stop() {
      if (child.pid !== undefined && child.exitCode === null) process.kill(-child.pid, 'SIGINT');
      return { code: await over, output };
    },
  };
}

/** Run in a network of its own: serves example.org there, types the lines, prints what came of it. */
async function typeAll({ shell, lines, leaves, folder }: NetworkTyping): Promise<NetworkTyped> {
  const [coordinator = '', worker = '', ...rest] = lines;
  const [init = '', add = '', results = ''] = rest;
  const site = await startExampleSite({ folder, leaves, address: publicAddress });
  const person: Shell = { ...shell, env: { ...shell.env, NODE_EXTRA_CA_CERTS: site.caFile } };
  const first = stay(person, coordinator);
  await first.printed('Press Ctrl-C');
  const second = stay(person, worker);
  await second.printed('connected to');
  const ran = [await type(person, init)];
  const tooEarly = await type(person, results);
  const askedTooEarly = site.requests.length;
  ran.push(await type(person, add), await type(person, results));
  const stayed = [await second.stop(), await first.stop()].reverse();
  await site.stop();
  return { stayed, ran, asked: site.requests, tooEarly, askedTooEarly };
}

if (import.meta.main) {
  const typed = await typeAll(JSON.parse(process.argv[2] ?? '') as NetworkTyping);
  process.stdout.write(JSON.stringify(typed));
}
