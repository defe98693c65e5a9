import { execFileSync } from 'node:child_process';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { JobInput } from '@webfarer/protocol';
import { until } from '../prove/lab.ts';
import type { AloneLab, Way } from './lab.ts';
import { recorded, refusal, stalled } from './shown.ts';
import { startServer } from './sites.ts';

const saverPath = join(import.meta.dirname, 'bad-savers');
const saving = /^(object-storage|saving|workers-unable)$/;

type Answer = (request: IncomingMessage, response: ServerResponse) => void;

function xml(response: ServerResponse, status: number, body: string): void {
  response.writeHead(status, { 'content-type': 'application/xml' }).end(`<?xml version="1.0"?>${body}`);
}

/** As S3 does. */
const denies: Answer = (_request, response) =>
  xml(response, 403, '<Error><Code>AccessDenied</Code><Message>Access Denied</Message></Error>');

const hangs: Answer = () => undefined;

/** With nothing in it, and with room for everything. */
const isEmpty: Answer = ({ method, url = '' }, response) => {
  if (method === 'PUT') return void response.writeHead(200, { etag: '"1"' }).end();
  if (method === 'DELETE') return void response.writeHead(204).end();
  if (url.includes('uploads')) return xml(response, 200, '<ListMultipartUploadsResult/>');
  if (!url.includes('list-type'))
    return xml(response, 404, '<Error><Code>NoSuchKey</Code><Message>none</Message></Error>');
  const list = '<Name>archive</Name><KeyCount>0</KeyCount><IsTruncated>false</IsTruncated>';
  xml(response, 200, `<ListBucketResult>${list}</ListBucketResult>`);
};

/** It can be listed, and there is no room. */
const isFull: Answer = (request, response) => {
  if (request.method === 'GET' || request.method === 'HEAD') return isEmpty(request, response);
  xml(response, 507, '<Error><Code>XMinioStorageFull</Code><Message>Storage is full</Message></Error>');
};

/** A crawl that saves to object storage which answers so, until it is to be deleted. */
function objectStorage(name: string, troubled: Answer): Way {
  let answer = troubled;
  let server: Awaited<ReturnType<typeof startServer>> | undefined;
  return {
    name,
    async cause(lab) {
      answer = troubled;
      server ??= await startServer((request, response) => answer(request, response));
      await lab.create(name, { save: savedAt(server.url) });
    },
    shown: stalled(name, saving, /s3:/),
    end: () => Promise.resolve(void (answer = isEmpty)),
    async stop() {
      await server?.stop();
      server = undefined;
    },
  };
}

const savedAt = (endpoint: string): JobInput['save'] => [
  {
    warc: {
      at: 's3://archive/alone',
      s3: { endpoint, region: 'us-east-1', allowPrivate: true, timeout: '3s' },
    },
  },
];

/** One that has worked for a while, and then denies: the crawl is open, and has captures to save. */
function storageDeniesLater(): Way {
  const name = 'object-storage-denies-later';
  let answer = isEmpty;
  let server: Awaited<ReturnType<typeof startServer>> | undefined;
  return {
    name,
    async cause(lab) {
      answer = isEmpty;
      server = await startServer((request, response) => answer(request, response));
      await lab.create(name, { save: savedAt(server.url) });
      const isBegun = async () => ((await lab.detail(name)).progress?.balance.done ?? 0) > 0;
      await until(`${name} to be crawled`, isBegun, 60_000);
      answer = denies;
    },
    shown: stalled(name, saving, /s3:/),
    end: () => Promise.resolve(void (answer = isEmpty)),
    stop: async () => await server?.stop(),
  };
}

function savedBy(name: string, module: string, shown = stalled(name, saving)): Way {
  return {
    name,
    cause: (lab) => lab.create(name, { save: [join(saverPath, module)] }),
    shown,
  };
}

/** Where the worker keeps a crawl. */
function atWorker(lab: AloneLab, name: string): string {
  const found = readdirSync(lab.worker).find((one) => one.startsWith(`${name}-`));
  if (found === undefined) throw new Error(`the worker has no folder of ${name}`);
  return join(lab.worker, found);
}

/** Something befalls the folder that a worker keeps of a crawl. */
function folderOfWorker(
  name: string,
  befalls: (folder: string) => void,
  passes: (folder: string) => void,
): Way {
  return {
    name,
    async cause(lab) {
      await lab.create(name);
      const isBegun = async () => ((await lab.detail(name)).progress?.balance.done ?? 0) > 0;
      await until(`${name} to be crawled`, isBegun, 60_000);
    },
    whileDown: (lab) => Promise.resolve(befalls(atWorker(lab, name))),
    shown: stalled(name, saving),
    end: (lab) => Promise.resolve(passes(atWorker(lab, name))),
  };
}

const fileInTheWay = folderOfWorker(
  'file-in-the-way',
  (folder) => {
    rmSync(join(folder, 'archive'), { recursive: true });
    writeFileSync(join(folder, 'archive'), 'not a folder\n');
  },
  (folder) => rmSync(folder, { recursive: true }),
);

/** The folder of the crawl is a disk of its own, which is soon full; that of the worker has room. */
const quotaFull: Way = {
  ...folderOfWorker(
    'quota-full',
    (folder) => {
      const at = join(folder, 'archive');
      rmSync(at, { recursive: true });
      mkdirSync(at);
      execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=24k', 'tmpfs', at]);
    },
    (folder) => void execFileSync('umount', ['-l', join(folder, 'archive')]),
  ),
  impossible: () => (process.getuid?.() === 0 ? undefined : 'only root can mount a disk'),
};

const minFree: Way = {
  name: 'min-free',
  cause: (lab) => lab.create('min-free', { limits: { minFree: '90TB' } }),
  shown: stalled('min-free', /^(min-free|disk)$/, /limits\.minFree|asks for/),
};

const redisAway: Way = {
  name: 'capture-server-away',
  cause: (lab) => lab.create('capture-server-away', { save: ['redis'] }),
  shown: stalled('capture-server-away', saving),
};

/** Its objects cannot be removed: that is said to who asked for it, and the crawl stays. */
function deletionStuck(): Way {
  const way = objectStorage('deletion-stuck', denies);
  return {
    ...way,
    shown: ({ ask }) => refusal(() => ask('DELETE', '/crawls/deletion-stuck')),
  };
}

export const storageWays: readonly Way[] = [
  objectStorage('object-storage-denies', denies),
  objectStorage('object-storage-hangs', hangs),
  storageDeniesLater(),
  objectStorage('object-storage-full', isFull),
  fileInTheWay,
  quotaFull,
  minFree,
  savedBy('saver-throws', 'throwing-saver.ts', recorded('saver-throws', 'handler')),
  savedBy('saver-syncs-nothing', 'syncless-saver.ts'),
  savedBy('saver-hangs', 'hanging-saver.ts'),
  redisAway,
  deletionStuck(),
];
