import { join, resolve } from 'node:path';
import { type MachineFrame, type NetworkStatus, readCoordinatorCard, readToken } from '@webfarer/coordinator';
import { WebfarerError } from '@webfarer/protocol';
import type { CliContext } from '../context/context.ts';
import { findFolder } from '../folder/folders.ts';
import { askResources, askStatus } from './http-question.ts';

/** A coordinator that can be asked, by its address or by its data folder. */
export interface StatusSource {
  url: string;
  ask(): Promise<NetworkStatus>;
  resources(): Promise<MachineFrame[]>;
}

export function isAddress(named: string | undefined): named is string {
  return named !== undefined && /^https?:\/\//i.test(named);
}

/** Whom to ask about what was named; undefined where it is a folder that no coordinator ever had. */
export async function findStatus(
  context: CliContext,
  named: string | undefined,
  tokenFile: string | undefined,
): Promise<StatusSource | undefined> {
  const folder = isAddress(named) ? undefined : await findFolder(named, context.cwd);
  const url = isAddress(named) ? named : (await readCoordinatorCard(folder ?? ''))?.url;
  if (url === undefined) return undefined;
  const file = tokenFile ?? (folder === undefined ? undefined : join(folder, 'operator.token'));
  const token = file === undefined ? context.token : await readToken(resolve(context.cwd, file));
  if (token === undefined)
    throw new WebfarerError('usage', 'The status of a coordinator needs its operator token.', {
      next: 'Pass operator.token from its --data folder with --token-file, or set WEBFARER_TOKEN.',
    });
  return { url, ask: () => askStatus(url, token), resources: () => askResources(url, token) };
}
