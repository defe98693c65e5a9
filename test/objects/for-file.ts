import { afterAll } from 'vitest';
import { fetchedGoProgram } from '../outside/go.ts';
import { type S3Server, startS3 } from './s3-server.ts';

/** Whether the server was built on this machine: `node test/outside/fetch.ts` does it. */
export const hasS3 = fetchedGoProgram('versitygw') !== undefined;

/** A server that all tests of a file share: started by the first that asks, stopped after the last. */
export function s3ForFile(): () => Promise<S3Server> {
  let server: Promise<S3Server> | undefined;
  afterAll(async () => {
    await (await server)?.stop();
  });
  return () => (server ??= startS3());
}
