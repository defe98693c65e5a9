import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';

/** Images that are named by a tag, with the reason. */
const byTag: Readonly<Record<string, string>> = {
  'docker.io/valkey/valkey':
    'no digest of it was confirmed where the project was written; its tag moves with fixes',
  'mcr.microsoft.com/devcontainers/javascript-node':
    'for editors only, used by no job and no release; no digest of it was confirmed where the project was written',
};
/** Built from this repository. */
const own =
  /^(?:webfarer(?::[\w.-]+)?|\$\{WEBFARER_IMAGE:-webfarer\}|\{\{ include "webfarer\.image" \. \}\})$/;
const digest = /@sha256:[0-9a-f]{64}$/;
const action = /^[\w-]+(?:\/[\w.-]+)+@[0-9a-f]{40} # v\d+(?:\.\d+){2}$/;
/** What runs the code of a dependency. */
const builds = /\b(?:npm (?:ci|install|i|run|exec|test|rebuild)|npx|yarn|pnpm|docker build|make)\b/;

interface Workflow {
  jobs?: Record<string, { permissions?: Record<string, string>; steps?: { run?: string }[] }>;
}

/** What comes from others by a name that may mean something else tomorrow, and jobs that publish more than they were given. */
export function supplyFaults(files: ReadonlyMap<string, string>): string[] {
  return [...files].flatMap(([path, text]) => {
    const lines = text.split('\n').map((line) => line.trim().replace(/^- /, ''));
    const after = (word: string) =>
      lines.flatMap((line) => (line.startsWith(word) ? [line.slice(word.length).trim()] : []));
    const images = [
      ...after('image:'),
      ...(path.endsWith('.json') ? imagesIn(text) : []),
      ...(path.endsWith('file') ? basesIn(text) : []),
    ];
    return [
      ...after('uses:').flatMap((uses) =>
        action.test(uses) || uses.startsWith('./')
          ? []
          : [`the action ${uses} is not named by commit and version`],
      ),
      ...images.flatMap((image) =>
        image === '' || own.test(image) || digest.test(image) || nameOf(image) in byTag
          ? []
          : [`the image ${image} is not named by digest`],
      ),
      ...(path.startsWith('.github/workflows/') ? publishersIn(text) : []),
    ].map((fault) => `${path}: ${fault}`);
  });
}

const nameOf = (image: string): string => image.replace(/[:@][^/]*$/, '');

/** Of JSON that may have comments, and so is searched rather than parsed. */
const imagesIn = (text: string): string[] =>
  [...text.matchAll(/"image"\s*:\s*"([^"]*)"/g)].map(([, image = '']) => image);

/** Of a Containerfile: arguments have their defaults, and stages are its own. */
function basesIn(text: string): string[] {
  const defaults = new Map([...text.matchAll(/^ARG (\w+)=(\S+)$/gm)].map(([, name, value]) => [name, value]));
  const stages = new Set([...text.matchAll(/^FROM .+ AS (\S+)$/gm)].map(([, stage]) => stage));
  return [...text.matchAll(/^FROM (?:--\S+ )*(\S+)/gm)].flatMap(([, base = '']) => {
    if (stages.has(base)) return [];
    return [base.replace(/^\$\{(\w+)\}$/, (whole, name: string) => defaults.get(name) ?? whole)];
  });
}

/** A job with the identity of a publisher uploads what another job has built without rights. */
function publishersIn(text: string): string[] {
  const { jobs = {} } = parse(text) as Workflow;
  return Object.entries(jobs)
    .filter(([, { permissions }]) => permissions?.['id-token'] === 'write')
    .flatMap(([name, { steps = [] }]) =>
      steps.flatMap(({ run = '' }) => {
        const found = builds.exec(run)?.[0];
        return found === undefined ? [] : [`the job ${name} may publish, and runs ${found}`];
      }),
    );
}

/** The files of the repository that name what comes from others. */
export function supplyFiles(root: string): Map<string, string> {
  const files = new Map<string, string>();
  for (const folder of ['.github/workflows', 'deploy', '.devcontainer'])
    for (const name of readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })) {
      const path = `${folder}/${name}`;
      const isNamed = folder === '.devcontainer' ? /\.json$|file$/ : /\.ya?ml$|Containerfile$/;
      if (isNamed.test(name) && statSync(join(root, path)).isFile())
        files.set(path, readFileSync(join(root, path), 'utf8'));
    }
  return files;
}
