import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parse } from 'yaml';

export const root = resolve(import.meta.dirname, '../..');
export const deploy = join(root, 'deploy');

export const read = (file: string): string => readFileSync(join(root, file), 'utf8');

/** What the proof reads of a service in compose.yaml. */
export interface Service {
  image: string;
  command?: string[];
  environment?: Record<string, string>;
  secrets?: string[];
  volumes?: string[];
  networks?: string[];
  depends_on?: Record<string, unknown> | string[];
  stop_grace_period?: string;
  read_only?: boolean;
  cap_drop?: string[];
}

export interface Compose {
  services: Record<string, Service>;
  volumes: Record<string, unknown>;
  networks: Record<string, unknown>;
  secrets: Record<string, { file: string }>;
}

/** compose.yaml with its merges made and its variables filled in: `${NAME:-default}`. */
export function compose(variables: Record<string, string> = {}): Compose {
  const text = read('deploy/compose/compose.yaml').replace(
    /\$\{(\w+):-([^}]*)\}/g,
    (_, name: string, usual: string) => variables[name] ?? usual,
  );
  return parse(text, { merge: true }) as Compose;
}

export interface ImageConfig {
  env: Record<string, string>;
  entrypoint: string[];
  user: string;
  health: string[];
}

/** What the stage that runs says about its process. */
export function imageConfig(): ImageConfig {
  const text = read('deploy/container/Containerfile').replace(/\\\n/g, ' ');
  const stage = text.slice(text.indexOf(' AS run\n'), text.indexOf('FROM run AS browser'));
  const [, env = ''] = /^ENV (.*)$/m.exec(stage) ?? [];
  const words = (pattern: RegExp) => JSON.parse(pattern.exec(stage)?.[1] ?? '[]') as string[];
  return {
    env: Object.fromEntries(
      env
        .trim()
        .split(/\s+/)
        .map((pair) => {
          const at = pair.indexOf('=');
          return [pair.slice(0, at), pair.slice(at + 1)] as const;
        }),
    ),
    entrypoint: words(/^ENTRYPOINT (\[.*\])$/m),
    user: /^USER (\S+)$/m.exec(stage)?.[1] ?? 'root',
    health: words(/^HEALTHCHECK .* CMD (\[.*\])$/m),
  };
}
