import { writeFileSync } from 'node:fs';
import type { S3Server } from '../objects/s3-server.ts';

export interface ObjectKeysOptions {
  s3: S3Server;
  /** Where folders and files of this round go. */
  path(name: string): string;
  /** A secret that is searched for from then on. */
  made(name: string): string;
  run(args: string[], more: { env?: Record<string, string>; ends?: 'badly' | 'anyhow' }): Promise<void>;
  /** A job with one page. */
  job(save: object[]): object;
}

/**
 * Keys of object storage: the right one in the environment of a crawl and of commands that read its archive, a wrong one, and one that a
 * person wrote into a job. Answers the folder of the crawl.
 */
export async function useObjectKeys({ s3, path, made, run, job }: ObjectKeysOptions): Promise<string> {
  const { address } = s3.place('secrets');
  const write = (name: string, endpoint: string): string => {
    const file = `${path(name)}.json`;
    writeFileSync(file, JSON.stringify(job([{ warc: { at: address, s3: { endpoint } } }])));
    return file;
  };
  const folder = path('objects');
  await run(['run', write('objects', s3.endpoint), '--out', folder], { env: s3.env });
  const { endpoint } = s3;
  const wrong = { ...s3.env, AWS_SECRET_ACCESS_KEY: made('object-wrong') };
  const written = endpoint.replace('://', `://id:${made('object-job')}@`);
  await Promise.all([
    run(['export', folder, '--wacz', `${folder}.wacz`], { env: s3.env }),
    run(['doctor', folder], { env: s3.env, ends: 'anyhow' }),
    // What fails says most.
    run(['storage', 'tidy', address, '--endpoint', endpoint], { env: wrong, ends: 'badly' }),
    run(['run', write('objects-written', written), '--out', path('objects-written')], { ends: 'badly' }),
  ]);
  return folder;
}
