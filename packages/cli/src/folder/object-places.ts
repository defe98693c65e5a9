import { type Manifest, readManifest } from '@webfarer/coordinator';
import { archivePlace, type ObjectPlace, readableJob } from '@webfarer/protocol/job';

/** How a person names the server of an s3:// address on the command line. */
export interface PlaceOptions {
  endpoint?: string;
  region?: string;
}

/** What a job file says with `s3:`, on the command line. */
export const placeOptions = [
  ['--endpoint <url>', 'with an s3:// address: URL of a server that is not that of AWS'],
  ['--region <name>', 'with an s3:// address: its region'],
] as const;

export function isObjectAddress(text: string): boolean {
  return /^(?:s3|file):\/\//.test(text);
}

export function placeAt(address: string, { endpoint, region }: PlaceOptions): ObjectPlace {
  return {
    address: address.replace(/\/+$/, ''),
    ...(endpoint === undefined ? {} : { endpoint }),
    ...(region === undefined ? {} : { region }),
  };
}

/** Where in object storage the archive of a crawl folder is; undefined: in the folder, or it is no crawl folder. */
export async function objectsOf(folder: string): Promise<ObjectPlace | undefined> {
  const manifest: Manifest | undefined = await readManifest(folder).catch(() => undefined);
  if (!manifest) return undefined;
  const { id, nonce = id } = manifest;
  return archivePlace(readableJob(manifest.job, ['save']), { id, nonce });
}
