import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { openApiOf, routeFamilies, routes } from '@webfarer/protocol/api';

/** The API as an OpenAPI document, for those who generate clients without a coordinator at hand. */
export function openApiPage(): string {
  const manifest = join(import.meta.dirname, '../../packages/cli/package.json');
  const { version } = JSON.parse(readFileSync(manifest, 'utf8')) as { version: string };
  return `${JSON.stringify(openApiOf(routes, routeFamilies, { version }), null, 2)}\n`;
}
