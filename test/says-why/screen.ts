import { type ChildProcess, spawn } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { stripVTControlCharacters } from 'node:util';

/** A command in a terminal of its own, as a person sees it. */
export interface Screen {
  /** What was drawn lately, without colours and movements. */
  text(): string;
  press(key: string): void;
  kill(): Promise<void>;
}

/** The last frames, but not what was true some seconds ago. */
const KEPT = 6_000;

/** `pidFile`: where the command's own process id is written, because a terminal is a session of its own. */
export function openScreen(words: readonly string[], pidFile: string): Screen {
  const quoted = words.map((word) => `'${word.replaceAll("'", "'\\''")}'`).join(' ');
  const { CI: _ci, NO_COLOR: _plain, ...rest } = process.env;
  const child: ChildProcess = spawn(
    'script',
    ['-qfec', `stty cols 180 rows 40; echo $$ > '${pidFile}'; exec ${quoted}`, '/dev/null'],
    {
      stdio: ['pipe', 'pipe', 'pipe'],
      env: { ...rest, WEBFARER_STATE: `${pidFile}.state`, TERM: 'xterm-256color' },
    },
  );
  let shown = '';
  const keep = (chunk: Buffer) => {
    shown = (shown + chunk.toString()).slice(-KEPT);
  };
  child.stdout?.on('data', keep);
  child.stderr?.on('data', keep);
  child.stdin?.on('error', () => undefined);
  const gone = new Promise<void>((resolve) => {
    child.once('close', () => resolve());
  });
  return {
    text: () => stripVTControlCharacters(shown),
    press: (key) => void child.stdin?.write(key),
    async kill() {
      const pid = Number(await readFile(pidFile, 'utf8').catch(() => '0'));
      try {
        if (pid > 0) process.kill(pid, 'SIGKILL');
      } catch {
        // It has ended by itself.
      }
      if (pid === 0) child.kill('SIGKILL');
      await gone;
    },
  };
}
