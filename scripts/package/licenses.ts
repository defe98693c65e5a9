import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** A package of others that is part of one of ours. */
export interface CarriedPackage {
  name: string;
  version: string;
  license: string;
}

/** Where a staged package has the licenses of what it carries. */
export const licensesIn = (staged: string): string => join(staged, 'THIRD-PARTY-LICENSES.txt');

/** Writes down which packages the files belong to, each with its license in full, and answers them. */
export function writeLicenses(files: readonly string[], where: { in: string; to: string }): CarriedPackage[] {
  const homes = new Set(files.map(homeOf).filter((home) => home !== undefined));
  const parts = new Map<string, string>();
  const carried = new Map<string, CarriedPackage>();
  for (const home of homes) {
    const { name, version, license } = readManifest(home);
    const title = `${name} ${version} (${license})`;
    parts.set(title, licenseText(home));
    carried.set(title, { name, version, license });
  }
  const sorted = [...parts].toSorted(([a], [b]) => (a < b ? -1 : 1));
  // Packages of one project have the same text: it stands once, under all of their names.
  const byText = Map.groupBy(sorted, ([, license]) => license.trim());
  const text = [...byText].map(([license, titles]) => {
    const names = titles.map(([title]) => title);
    return `${names.join('\n')}\n${'-'.repeat(names.at(-1)?.length ?? 0)}\n\n${license}\n`;
  });
  writeFileSync(where.to, `Parts of these packages are in ${where.in}.\n\n${text.join('\n')}`);
  return [...carried].toSorted(([one], [other]) => (one < other ? -1 : 1)).map(([, each]) => each);
}

function readManifest(home: string): CarriedPackage & { author?: string | { name: string } } {
  return JSON.parse(readFileSync(join(home, 'package.json'), 'utf8')) as ReturnType<typeof readManifest>;
}

/** The folder of the package that a file below node_modules belongs to. */
function homeOf(file: string): string | undefined {
  if (!file.includes('/node_modules/')) return undefined;
  for (let at = dirname(file); at !== dirname(at); at = dirname(at))
    if (/\/node_modules\/(@[^/]+\/)?[^/]+$/.test(at) && existsSync(join(at, 'package.json'))) return at;
  return undefined;
}

function licenseText(home: string): string {
  const name = readdirSync(home).find((each) => /^licen[cs]e(\.|$)/i.test(each));
  if (name !== undefined) return readFileSync(join(home, name), 'utf8').replaceAll('\r\n', '\n');
  const { license, author } = readManifest(home);
  const text = texts[license];
  const holder = typeof author === 'object' ? author.name : author;
  if (text !== undefined && holder !== undefined) return `Copyright (c) ${holder}\n\n${text}`;
  throw new Error(`${home} has no license file, so it cannot be bundled`);
}

/** For packages that name a license without bringing its text. */
const isc = `Permission to use, copy, modify, and/or distribute this software for any
purpose with or without fee is hereby granted, provided that the above
copyright notice and this permission notice appear in all copies.

THE SOFTWARE IS PROVIDED "AS IS" AND THE AUTHOR DISCLAIMS ALL WARRANTIES
WITH REGARD TO THIS SOFTWARE INCLUDING ALL IMPLIED WARRANTIES OF
MERCHANTABILITY AND FITNESS. IN NO EVENT SHALL THE AUTHOR BE LIABLE FOR
ANY SPECIAL, DIRECT, INDIRECT, OR CONSEQUENTIAL DAMAGES OR ANY DAMAGES
WHATSOEVER RESULTING FROM LOSS OF USE, DATA OR PROFITS, WHETHER IN AN
ACTION OF CONTRACT, NEGLIGENCE OR OTHER TORTIOUS ACTION, ARISING OUT OF
OR IN CONNECTION WITH THE USE OR PERFORMANCE OF THIS SOFTWARE.
`;
const mit = `Permission is hereby granted, free of charge, to any person obtaining a copy
of this software and associated documentation files (the "Software"), to deal
in the Software without restriction, including without limitation the rights
to use, copy, modify, merge, publish, distribute, sublicense, and/or sell
copies of the Software, and to permit persons to whom the Software is
furnished to do so, subject to the following conditions:

The above copyright notice and this permission notice shall be included in all
copies or substantial portions of the Software.

THE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR
IMPLIED, INCLUDING BUT NOT LIMITED TO THE WARRANTIES OF MERCHANTABILITY,
FITNESS FOR A PARTICULAR PURPOSE AND NONINFRINGEMENT. IN NO EVENT SHALL THE
AUTHORS OR COPYRIGHT HOLDERS BE LIABLE FOR ANY CLAIM, DAMAGES OR OTHER
LIABILITY, WHETHER IN AN ACTION OF CONTRACT, TORT OR OTHERWISE, ARISING FROM,
OUT OF OR IN CONNECTION WITH THE SOFTWARE OR THE USE OR OTHER DEALINGS IN THE
SOFTWARE.
`;
const texts: Readonly<Record<string, string>> = { ISC: isc, MIT: mit };
