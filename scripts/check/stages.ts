import { isRelative, resolveFrom } from './imports.ts';
import type { Rule } from './project.ts';

const stages = ['fetch', 'extract', 'save'];
/** The ports between stages: their types may cross, nothing that runs. */
const ports = ['packages/worker/src/fetch/fetch.ts', 'packages/worker/src/save/saver.ts'];
/** The egress is how fetching reaches the web: one stage in two folders. */
const folders = new Map([...stages.map((stage) => [stage, stage] as const), ['egress', 'fetch']]);
const stageOf = (path: string): string | undefined =>
  folders.get(/^packages\/worker\/src\/(\w+)\//.exec(path)?.[1] ?? '');

/** What is read of an archive does not depend on what writes it. */
const readsArchive = (path: string): boolean => path.startsWith('packages/worker/src/archive/');

/** The worker's stages do not know each other, and only the pipeline knows them all. */
export const workerStages: Rule = {
  name: "the worker's stages",
  reads: ['ts', 'tsx'],
  find(project) {
    return project.sources
      .filter(({ path, isTest }) => path.startsWith('packages/worker/src/') && !isTest)
      .flatMap((source) => {
        const own = stageOf(source.path);
        const crossings = source.imports
          .filter(({ specifier }) => isRelative(specifier))
          .map((each) => ({ ...each, target: resolveFrom(source.path, each.specifier) }))
          .map((each) => ({ ...each, stage: stageOf(each.target) }))
          .filter(
            ({ stage, target, typeOnly }) => stage && stage !== own && !(typeOnly && ports.includes(target)),
          );
        const written = crossings.filter(({ stage }) => stage === 'save');
        if (readsArchive(source.path))
          return written.map(({ line }) => ({
            path: source.path,
            line,
            message: 'archive must not import save',
          }));
        const joins = new Set(crossings.map(({ stage }) => stage)).size === stages.length;
        if (own === undefined && (!joins || mayJoin(source.path))) return [];
        return crossings.map(({ line, stage }) => ({
          path: source.path,
          line,
          message: own
            ? `${own} must not import ${stage}; only types of ${ports.map((p) => p.slice(20)).join(' and ')} may cross`
            : `only page/pipeline*.ts may know fetch, extract and save together`,
        }));
      });
  },
};

const mayJoin = (path: string): boolean =>
  /^packages\/worker\/src\/(page\/pipeline[^/]*|index)\.ts$/.test(path);
