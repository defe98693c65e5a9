import { get as getHttp, type IncomingMessage } from 'node:http';
import { get as getHttps } from 'node:https';
import { WebfarerError } from '@webfarer/protocol';
import type { MachineFrame, NetworkStatus } from '@webfarer/coordinator';

const PATIENCE_MS = 10_000;
const MAX_BYTES = 64 * 1_048_576;

/** What a coordinator says of itself and its network. */
export async function askStatus(url: string, token: string): Promise<NetworkStatus> {
  return (await askJson(url, '/status', token)) as NetworkStatus;
}

/** What it and its workers use now. */
export async function askResources(url: string, token: string): Promise<MachineFrame[]> {
  const { machines } = (await askJson(url, '/v1/resources', token)) as { machines: MachineFrame[] };
  return machines;
}

async function askJson(url: string, path: string, token: string): Promise<unknown> {
  const { status, body } = await ask(`${url.replace(/\/+$/, '')}${path}`, token).catch((error: unknown) => {
    throw new WebfarerError('link-lost', `no coordinator responds at ${url}: ${(error as Error).message}`, {
      next: 'Check that it is running and that this machine can reach it.',
      cause: error,
    });
  });
  if (status === 401 || status === 403)
    throw new WebfarerError('link-refused', `the coordinator at ${url} does not accept this token`, {
      next: 'Use operator.token from its --data folder: --token-file, or WEBFARER_TOKEN. A worker token is not accepted.',
    });
  if (status !== 200)
    throw new WebfarerError('link-lost', `${url} answered ${status}; it may not be a coordinator`, {
      next: 'Use the address that it printed: Listening on http://…',
    });
  return JSON.parse(body) as unknown;
}

function ask(url: string, token: string): Promise<{ status: number; body: string }> {
  const get = url.startsWith('https:') ? getHttps : getHttp;
  return new Promise((resolve, reject) => {
    const request = get(
      url,
      { headers: { authorization: `Bearer ${token}` }, signal: AbortSignal.timeout(PATIENCE_MS) },
      (response) => void read(response).then(resolve, reject),
    );
    request.once('error', (error: NodeJS.ErrnoException) =>
      reject(error.name === 'TimeoutError' || error.code === 'ABORT_ERR' ? new Error('no answer') : error),
    );
  });
}

async function read(response: IncomingMessage): Promise<{ status: number; body: string }> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of response as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > MAX_BYTES) throw new Error('the response is too long');
    chunks.push(chunk);
  }
  return { status: response.statusCode ?? 0, body: Buffer.concat(chunks).toString() };
}
