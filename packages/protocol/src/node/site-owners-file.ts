import { siteOwnersSchema, type SiteOwnersSettings } from '../api/owners-schema.ts';
import { readSettingsFile } from './settings-file.ts';

/** Reads the file that says what the public page for the owners of sites shows. */
export async function readSiteOwnersFile(path: string): Promise<SiteOwnersSettings> {
  return await readSettingsFile(path, { schema: siteOwnersSchema, docs: 'docs/site-owners.md' });
}
