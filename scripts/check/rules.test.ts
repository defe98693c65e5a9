import { expect, test } from 'vitest';
import { findings, manifest } from './made-up.fixture.ts';
import type { Rule } from './project.ts';
import { borders } from './borders.ts';
import { browserSafe } from './browser-safe.ts';
import { ciHeaders } from './ci-headers.ts';
import { confined } from './confined.ts';
import { cycles, folderCycles } from './cycles.ts';
import { dependencies } from './dependencies.ts';
import { namedExports } from './exports.ts';
import { dishonestPorts, fullFolders, longFunctions } from './exceptions.ts';
import { figures } from './figures.ts';
import { folderSize, functionSize, limited } from './limits.ts';
import { mutantsFit } from './mutants.ts';
import { namesInGuides } from './names.ts';
import { ports, portsExcept } from './ports.ts';
import { references } from './references.ts';
import { rules } from './rules.ts';
import { size } from './size.ts';
import { workerStages } from './stages.ts';
import { threats } from './threats.ts';

test('ci headers: a proof and a bench name what they watch, by paths that exist, and what they find', () => {
  expect(
    findings(ciHeaders, {
      'test/prove/one.ts': 'export async function prove() {}',
      'test/prove/part.ts': 'export const part = 1;',
      'bench/two.ts': '// watches: bench/two.ts, packages/gone\n// misses: x\nexport function bench() {}',
      'test/three.test.ts': '// watches: docs/gone.md',
      'test/prove/four.ts': '// watches: bench/two.ts\n// misses: what it finds\nexport function prove() {}',
    }),
  ).toEqual([
    'test/prove/one.ts:1 needs a line "// watches: FOLDER, FOLDER": what may break it',
    'test/prove/one.ts:1 needs a line "// misses: ...": what nobody would notice without it',
    'bench/two.ts:1 watches packages/gone, which does not exist',
    'test/three.test.ts:1 watches docs/gone.md, which does not exist',
  ]);
});

test('cycles: a circle is named once, a diamond is none', () => {
  expect(
    findings(cycles, {
      'packages/cli/src/a.ts': `import { b } from './b.ts';`,
      'packages/cli/src/b.ts': `import type { C } from './deep/c.ts';`,
      'packages/cli/src/deep/c.ts': `import { a } from '../a.ts';`,
    }),
  ).toEqual([
    'packages/cli/src/a.ts:1 imports itself: cli/src/a.ts → cli/src/b.ts → cli/src/deep/c.ts → cli/src/a.ts',
  ]);
  expect(
    findings(cycles, {
      'packages/cli/src/a.ts': `import './b.ts'; import './c.ts';`,
      'packages/cli/src/b.ts': `import './d.ts';`,
      'packages/cli/src/c.ts': `import './d.ts';`,
      'packages/cli/src/d.ts': '',
    }),
  ).toEqual([]);
});

test('cycles: by way of package names', () => {
  expect(
    findings(cycles, {
      'packages/protocol/src/index.ts': `export { w } from '@webfarer/worker';`,
      'packages/worker/src/index.ts': `export { p } from '@webfarer/protocol';`,
    }),
  ).toHaveLength(1);
});

test('folder cycles: files in no circle, in folders that are in one', () => {
  const up = {
    'packages/protocol/src/a.ts': '',
    'packages/protocol/src/b.ts': `import { d } from './deep/d.ts';`,
    'packages/protocol/src/deep/d.ts': '',
    'packages/protocol/src/deep/e.ts': `\nimport type { A } from '../a.ts';`,
  };
  expect(findings(cycles, up)).toEqual([]);
  expect(findings(folderCycles, up)).toEqual([
    'packages/protocol/src/b.ts:1 folders import each other: protocol/src → protocol/src/deep → protocol/src',
  ]);
  const deep = 'packages/protocol/src/deep';
  expect(
    findings(folderCycles, { ...up, [`${deep}/e.ts`]: '', [`${deep}/e.test.ts`]: `import '../a.ts';` }),
  ).toEqual([]);
  expect(findings(folderCycles, { ...up, [`${deep}/e.ts`]: `import '../base/a.ts';` })).toEqual([]);
});

test('folder cycles: a folder counts with everything below it', () => {
  const at = 'packages/coordinator/src';
  const deep = {
    [`${at}/frontier/frontier.ts`]: '',
    [`${at}/frontier/redis/a.ts`]: `import '../../results/results.ts';`,
    [`${at}/results/results.ts`]: '',
    [`${at}/results/draining/b.ts`]: `\nimport type { F } from '../../frontier/frontier.ts';`,
  };
  expect(findings(folderCycles, deep)).toEqual([
    `${at}/frontier/redis/a.ts:1 folders import each other: ` +
      'coordinator/src/frontier → coordinator/src/results → coordinator/src/frontier',
  ]);
  // Inside one folder they may: results may stand on what its own subfolders offer.
  expect(
    findings(folderCycles, {
      ...deep,
      [`${at}/results/draining/b.ts`]: '',
      [`${at}/results/results.ts`]: `import './draining/b.ts';`,
    }),
  ).toEqual([]);
});

test('borders: each direction that is not allowed', () => {
  const found = (home: string, specifier: string): string[] =>
    findings(borders, { [`packages/${home}/src/x.ts`]: `import { a } from '${specifier}';` });
  expect(found('cli', '@webfarer/worker')).toEqual([]);
  expect(found('worker', '@webfarer/protocol')).toEqual([]);
  expect(found('protocol', '@webfarer/worker')).toEqual([
    'packages/protocol/src/x.ts:1 protocol must not import worker',
  ]);
  expect(found('worker', '@webfarer/coordinator')).toHaveLength(1);
  expect(found('coordinator', 'webfarer')).toHaveLength(1);
  expect(found('worker', '@webfarer/worker')).toHaveLength(1);
});

test('borders: deep imports and paths into another package', () => {
  const deep = { 'packages/cli/src/x.ts': `import '@webfarer/worker/src/save/saver.ts';` };
  expect(findings(borders, deep)[0]).toContain('not among the exports');
  const path = `import '../../worker/src/index.ts';`;
  expect(findings(borders, { 'packages/cli/src/x.ts': path })[0]).toContain('reaches out of its package');
  expect(findings(borders, { 'packages/cli/src/x.test.ts': path })).toHaveLength(1);
  expect(findings(borders, { 'test/x.ts': path, 'bench/x.ts': `import 'webfarer';` })).toEqual([]);
});

test("stages: fetch, extract and save do not know each other, but for the ports' types", () => {
  const from = (path: string, text: string): string[] =>
    findings(workerStages, { [`packages/worker/src/${path}`]: text });
  expect(from('save/warc.ts', `import type { FetchedPage } from '../fetch/fetch.ts';`)).toEqual([]);
  expect(from('save/warc.ts', `import { header } from '../fetch/fetch.ts';`)).toHaveLength(1);
  expect(from('save/warc.ts', `import type { Egress } from '../egress/egress.ts';`)).toHaveLength(1);
  expect(from('extract/links.ts', `import { decode } from './charset.ts';`)).toEqual([]);
  expect(from('scrape/page.ts', `import { links } from '../extract/links.ts';`)).toEqual([]);
});

test('stages: the read side of the archive does not know the write side', () => {
  const from = (path: string, text: string): string[] =>
    findings(workerStages, { [`packages/worker/src/${path}`]: text });
  expect(from('archive/tar/a.ts', `import '../../save/tar-saver.ts';`)).toEqual([
    'packages/worker/src/archive/tar/a.ts:1 archive must not import save',
  ]);
  expect(from('save/tar-saver.ts', `import '../archive/tar/a.ts';`)).toEqual([]);
});

test('stages: only the pipeline knows all three', () => {
  const all = `import '../fetch/a.ts'; import '../extract/b.ts'; import '../save/c.ts';`;
  expect(findings(workerStages, { 'packages/worker/src/scrape/x.ts': all })).toHaveLength(3);
  expect(findings(workerStages, { 'packages/worker/src/page/pipeline-report.ts': all })).toEqual([]);
  expect(findings(workerStages, { 'packages/worker/src/page/document.ts': all })).toHaveLength(3);
  const beside = all.replaceAll('../', './');
  expect(findings(workerStages, { 'packages/worker/src/worker.ts': beside })).toHaveLength(3);
});

test('browsers: no entry but /node reaches a module or a global of Node', () => {
  const entries = { '.': './src/index.ts', './url': './src/url/index.ts', './node': './src/node/file.ts' };
  const found = (files: Record<string, string>): string[] =>
    findings(browserSafe, {
      'packages/protocol/package.json': JSON.stringify({ name: '@webfarer/protocol', exports: entries }),
      'packages/protocol/src/node/file.ts': `import 'node:fs'; process.exit();`,
      'packages/protocol/src/url/index.ts': `export { a } from './a.ts';`,
      ...files,
    });
  const a = 'packages/protocol/src/url/a.ts';
  const fit = `import 'yaml'; const text = 'Buffer'; // process.env\nself.process = { process: text }; setTimeout(a);`;
  expect(found({ [a]: fit })).toEqual([]);
  expect(found({ [a]: `import '../b.ts';`, 'packages/protocol/src/b.ts': `\nimport 'node:fs';` })).toEqual([
    'packages/protocol/src/b.ts:2 node:fs: @webfarer/protocol/url must run in a browser',
  ]);
  expect(found({ [a]: `import type { B } from '../node/file.ts';` })).toHaveLength(2);
  for (const use of [
    'Buffer.from(a)',
    'x as Buffer',
    'process.cwd()',
    'setImmediate(f)',
    '__dirname',
    'let n: NodeJS.Timeout',
  ])
    expect(found({ [a]: use }), use).toHaveLength(1);
  expect(found({ [a]: `import 'undici';` })[0]).toContain('undici: not known to run in a browser');
  expect(found({ 'packages/protocol/src/unused.ts': `import 'node:fs';` })).toEqual([]);
  expect(findings(browserSafe, { 'packages/worker/src/index.ts': `import 'node:fs';` })).toEqual([]);
});

test('size: 500 lines pass, 501 do not, in Lua too', () => {
  const lines = (count: number): string => 'x\n'.repeat(count);
  expect(findings(size, { 'test/a.ts': lines(500) })).toEqual([]);
  expect(findings(size, { 'test/a.ts': lines(501) })).toHaveLength(1);
  expect(findings(size, { 'packages/coordinator/src/a.lua': lines(501) })).toHaveLength(1);
});

test('the lists of exceptions only shrink', () => {
  expect(Object.keys(longFunctions).length).toBeLessThanOrEqual(57);
  expect(Object.keys(fullFolders).length).toBeLessThanOrEqual(7);
  expect(dishonestPorts.length).toBeLessThanOrEqual(11);
});

/** Findings about a file itself, without those about exceptions that a made-up project does not need. */
const beyond = (rule: Rule, files: Record<string, string>): string[] =>
  findings(rule, files).filter((line) => !line.startsWith('scripts/check/exceptions.ts'));

test('function size: 120 lines pass, 121 do not, whatever kind of function it is', () => {
  const body = (lines: number): string => 'x();\n'.repeat(lines - 2);
  const kinds = (lines: number): string[] => [
    `function f() {\n${body(lines)}}`,
    `const f = () => {\n${body(lines)}};`,
    `const f = async function () {\n${body(lines)}};`,
    `const a = { f() {\n${body(lines)}} };`,
    `class A { f() {\n${body(lines)}} }`,
    `const f = () => [\n${'x,\n'.repeat(lines - 2)}];`,
  ];
  for (const text of kinds(120)) expect(beyond(functionSize, { 'packages/cli/src/a.ts': text })).toEqual([]);
  for (const text of kinds(121))
    expect(beyond(functionSize, { 'packages/cli/src/a.ts': text })).toEqual([
      'packages/cli/src/a.ts:1 packages/cli/src/a.ts f: 121 lines; split it before 120',
    ]);
});

test('limits: an exception may neither grow nor stay behind what it stands for', () => {
  const found = (size: number): string[] =>
    findings(
      limited({
        name: 'lines',
        reads: ['ts'],
        unit: 'lines',
        max: 120,
        exceptions: { a: 200 },
        measure: () => [{ name: 'a', size, path: 'a.ts', line: 1 }],
      }),
      {},
    );
  expect(found(200)).toEqual([]);
  expect(found(191)).toEqual([]);
  expect(found(201)[0]).toContain('has grown from 200 to 201');
  expect(found(190)[0]).toContain('lower its exception');
  expect(found(120)).toEqual([expect.stringContaining('take it off the list')]);
});

test('dependencies: undeclared ones, and built-in modules without node:', () => {
  const found = (path: string, text: string): string[] =>
    findings(dependencies, {
      'test/uses.ts': `import 'vitest';`,
      'packages/worker/package.json': manifest('@webfarer/worker', { dependencies: { sax: '1' } }),
      'packages/worker/src/sax.ts': `import 'sax';`,
      [path]: text,
    });
  expect(found('packages/worker/src/x.ts', `import 'sax'; import 'node:fs'; import './y.ts';`)).toEqual([]);
  expect(found('packages/worker/src/x.ts', `import type { A } from 'htmlparser2/lib';`)).toEqual([
    'packages/worker/src/x.ts:1 htmlparser2 is not declared in packages/worker/package.json',
  ]);
  expect(found('packages/worker/src/x.ts', `import 'fs';`)[0]).toContain('write node:fs');
  expect(found('packages/worker/src/x.ts', `import 'vitest';`)).toHaveLength(1);
  expect(found('packages/worker/src/x.test.ts', `import 'vitest';`)).toEqual([]);
  expect(found('packages/protocol/src/x.ts', `import 'sax';`)).toHaveLength(1);
  expect(found('test/x.ts', `import 'webfarer'; import '@webfarer/worker';`)).toEqual([]);
  expect(found('test/x.ts', `import 'sax';`)).toEqual(['test/x.ts:1 sax is not declared in package.json']);
});

test('dependencies: declared and never imported', () => {
  const root = manifest('workspace', {
    devDependencies: { vitest: '5', typescript: '7', '@types/node': '24' },
  });
  const worker = manifest('@webfarer/worker', { dependencies: { sax: '1' } });
  expect(
    findings(dependencies, {
      'package.json': root,
      'packages/worker/package.json': worker,
      'packages/worker/src/x.test.ts': `import 'sax';`,
    }),
  ).toEqual([
    'package.json:1 vitest is declared and never imported',
    'packages/worker/package.json:1 sax is declared and never imported',
  ]);
});

/** What the rule about homes says of one shipped file. */
const homes = (path: string, text: string): string[] => findings(confined, { [`packages/${path}`]: text });

test('homes: URLs are parsed in protocol/url only', () => {
  expect(homes('worker/src/x.ts', 'new URL(a)')).toHaveLength(1);
  expect(homes('worker/src/x.ts', 'URL.canParse(a)')).toHaveLength(1);
  expect(homes('worker/src/x.ts', `// new URL(a)\nconst b = 'new URL(a)';`)).toEqual([]);
  expect(homes('protocol/src/url/scope.ts', 'new URL(a)')).toEqual([]);
  expect(homes('worker/src/x.test.ts', 'new URL(a)')).toEqual([]);
});

test('homes: sockets are opened in the egress only', () => {
  for (const name of [
    'node:net',
    'node:tls',
    'node:http',
    'node:https',
    'node:dgram',
    'node:dns/promises',
    'undici',
  ])
    expect(homes('worker/src/fetch/robots.ts', `import { a } from '${name}';`), name).toHaveLength(1);
  expect(homes('cli/src/x.ts', `const { a } = await import('node:net');`)).toHaveLength(1);
  expect(homes('cli/src/x.ts', 'const page = await fetch(address);')).toHaveLength(1);
  expect(homes('cli/src/x.ts', `import { isIP } from 'node:net';`)).toEqual([]);
  expect(homes('worker/src/fetch/robots.ts', `import type { Socket } from 'node:net';`)).toEqual([]);
  expect(homes('worker/src/egress/connect.ts', `import { connect } from 'node:net';`)).toEqual([]);
  expect(homes('worker/src/x.ts', 'function f({ fetch }: P) { return fetch(a); } port.fetch(b);')).toEqual(
    [],
  );
});

test('homes: time comes from the clock', () => {
  for (const use of [
    'Date.now()',
    'new Date()',
    'setTimeout(f, 1)',
    'globalThis.setInterval(f, 1)',
    'performance.now()',
  ])
    expect(homes('worker/src/x.ts', use), use).toHaveLength(1);
  expect(homes('worker/src/x.ts', `import { setTimeout as sleep } from 'node:timers/promises';`)).not.toEqual(
    [],
  );
  expect(homes('worker/src/x.ts', 'socket.setTimeout(1); new Date(clock.now());')).toEqual([]);
  expect(homes('protocol/src/base/clock.ts', 'Date.now()')).toEqual([]);
  expect(homes('cli/src/view/live.ts', 'setInterval(f, 1)')).toEqual([]);
});

test('homes: an escape needs a reason and stands beside its line', () => {
  const reason = '// allow(time): a watchdog of the real process, not of the crawl';
  expect(homes('cli/src/x.ts', `${reason}\nsetTimeout(f, 1)`)).toEqual([]);
  expect(homes('cli/src/x.ts', `setTimeout(f, 1) ${reason}`)).toEqual([]);
  expect(homes('cli/src/x.ts', `${reason}\n\nsetTimeout(f, 1)`)).toHaveLength(1);
  expect(homes('cli/src/x.ts', '// allow(time):\nsetTimeout(f, 1)')).toHaveLength(1);
  expect(homes('cli/src/x.ts', `// allow(time): this cannot excuse a URL\nnew URL(a)`)).toHaveLength(1);
});

test('homes: environment and signals are read in main.ts', () => {
  expect(homes('cli/src/x.ts', 'process.env.HOME')).toHaveLength(1);
  expect(homes('cli/src/x.ts', `process.once('SIGINT', stop)`)).toHaveLength(1);
  expect(homes('cli/src/x.ts', `process.on('exit', stop)`)).toEqual([]);
  expect(homes('cli/src/main.ts', `process.env.HOME; process.on('SIGINT', stop)`)).toEqual([]);
});

test('exports: no star and no default in packages', () => {
  const found = (text: string): string[] => findings(namedExports, { 'packages/cli/src/x.ts': text });
  expect(found(`export * from './a.ts';`)).toHaveLength(1);
  expect(found(`export type * from './a.ts';`)).toHaveLength(1);
  expect(found('export default 1;')).toHaveLength(1);
  expect(found('const a = 1; export { a as default };')).toHaveLength(1);
  expect(found(`import { default as a } from 'b'; export { a };`)).toEqual([]);
  expect(findings(namedExports, { 'vitest.config.ts': 'export default {};' })).toEqual([]);
});

test('the list holds every rule', () => {
  expect(new Set(rules)).toEqual(
    new Set([
      borders,
      browserSafe,
      ciHeaders,
      confined,
      cycles,
      dependencies,
      figures,
      folderCycles,
      folderSize,
      functionSize,
      mutantsFit,
      namedExports,
      namesInGuides,
      ports,
      references,
      size,
      threats,
      workerStages,
    ]),
  );
});

test('ports: no member of an interface that is implemented is optional', () => {
  const at = 'packages/coordinator/src/a.ts';
  const optional = (text: string) =>
    findings(portsExcept(new Set()), { [at]: text }).map((line) => line.split(' is ')[0]);
  expect(
    optional('export interface A {\n  go(): void;\n  stop?(): void;\n  readonly size?: number;\n}'),
  ).toEqual([`${at}:3 A.stop`, `${at}:4 A.size`]);
  expect(
    optional('export interface A<T extends { b: 1 }> extends B<T> { get: (x: { y: T[] }) => T; z?: T; }'),
  ).toEqual([`${at}:1 A.z`]);
  // Data, and what a file keeps to itself.
  expect(optional('export interface A { x?: number; y?: { z?: string }; }')).toEqual([]);
  expect(optional('interface A { go(): void; stop?(): void; }')).toEqual([]);
});

test('ports: an argument may leave out values, but no functions', () => {
  const at = 'packages/worker/src/a.ts';
  const text =
    'export interface AOptions {\n  go: () => void;\n  timeoutMs?: number;\n  told?: (all: readonly string[]) => void;\n  how?: { go(): void };\n}';
  expect(findings(portsExcept(new Set()), { [at]: text })).toEqual([
    `${at}:4 AOptions.told is optional: make it required, or give it a port of its own`,
  ]);
});

test('ports: an exception that nothing needs any more is told', () => {
  const text =
    'export interface A { go(): void; stop?(): void; } export interface B { go(): void; end?(): void; }';
  const allowed = new Set(['A', 'B.end', 'B.gone', 'C']);
  expect(findings(portsExcept(allowed), { 'packages/worker/src/a.ts': text })).toEqual([
    'scripts/check/ports.ts:1 B.gone is no exception any more: take it off the list',
    'scripts/check/ports.ts:1 C is no exception any more: take it off the list',
  ]);
});

test('things with one home: chance and the state of a module', () => {
  const at = 'packages/worker/src/a.ts';
  const found = (text: string) =>
    findings(confined, { [at]: text }).map((line) => line.split(':').slice(1, 2)[0]);
  expect(found('let a = 1;\nfunction f() { let b = 2; return b; }')).toEqual(['1 let a']);
  expect(found('const kept = new Map();\nexport const f = () => kept.set(1, 2);')).toEqual(['1 Map kept']);
  expect(found('const kept = new Map([[1, 2]]);\nexport const f = () => kept.get(1);')).toEqual([]);
  expect(found('export const f = () => Math.random();')).toEqual(['1 Math.random']);
  expect(found('// allow(state): a table that never changes\nlet a: number | undefined;')).toEqual([]);
  const page = { 'packages/graph/src/report/browser/page.ts': 'let shown = 1;' };
  expect(findings(confined, page)).toEqual([]);
});
