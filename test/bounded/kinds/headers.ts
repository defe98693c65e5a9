import { type Bomb, html, maker, numbered } from '../bomb.ts';

const cookies = maker('cookies', 'cookies');
const page = maker('headers', 'text');

const repeated = (name: string, count: number, value: (at: number) => string): string[] =>
  Array.from({ length: count }, (_, at) => [name, value(at)]).flat();

const rounds = 8;

/** Its host redirects it to itself, and sets more at each step. */
const setting = (name: string, values: (round: string) => readonly string[]): Bomb => ({
  ...cookies(name, () => '<p>a', { alone: true, query: '?0' }),
  files: Object.fromEntries(
    Array.from({ length: rounds + 1 }, (_, at) => [
      `/cookies-${name}?${at}`,
      at === rounds
        ? html(() => '<p>a')
        : {
            status: 302,
            headers: [
              'location',
              `/cookies-${name}?${at + 1}`,
              ...values(String(at)).flatMap((value) => ['set-cookie', value]),
            ],
            body: () => '',
          },
    ]),
  ),
});
const many = (count: number, value: (at: number) => string): string[] =>
  Array.from({ length: count }, (_, at) => value(at));

export const cookieBombs: readonly Bomb[] = [
  setting('names', (round) => many(300, (at) => `n${round}-${at}=v`)),
  setting('long', (round) => many(3, (at) => `n${round}-${at}=${'v'.repeat(4_000)}`)),
  setting('longer', (round) => [`n${round}=${'v'.repeat(14_000)}`]),
  setting('paths', (round) => many(200, (at) => `n=${round}; path=/${'a/'.repeat(at % 50)}${at}`)),
  setting('domains', (round) => many(200, (at) => `n${round}=v; domain=${'a.'.repeat(at % 60)}test`)),
  setting('dates', (round) => many(100, (at) => `n${round}-${at}=v; expires=${'1 '.repeat(50)}`)),
  setting('parts', (round) => many(8, (at) => `n${round}-${at}=v${';a=b'.repeat(400)}`)),
  setting('quotes', (round) => many(10, (at) => `n${round}-${at}=${'"'.repeat(1_200)}`)),
  setting('ends', (round) => many(300, (at) => `n${at}=${round}; max-age=0`)),
];

const headed = (name: string, headers: readonly string[], more: Partial<Bomb> = {}): Bomb =>
  page(name, () => '<p>a', { answer: html(() => '<p>a', headers), ...more });
const raw = (name: string, wire: () => string, more: Partial<Bomb> = {}): Bomb =>
  page(name, () => '', { answer: { headers: [], body: () => '', raw: wire }, alone: true, ...more });
const body = '\r\ncontent-type: text/html\r\ncontent-length: 4\r\n\r\n<p>a';

export const headerBombs: readonly Bomb[] = [
  headed('links', ['link', numbered(300, (at) => `</${at}>; rel=next; title="${','.repeat(20)}", `)]),
  headed('links-open', ['link', `<a>; rel="${'"'.repeat(12_000)}`]),
  headed('types', [], {
    answer: { headers: ['content-type', `text/html${';charset="'.repeat(1_200)}`], body: () => '<p>a' },
  }),
  headed(
    'robots-tags',
    repeated('x-robots-tag', 200, (at) => `bot${at}: none, ${'a:b,'.repeat(10)}`),
  ),
  headed('languages', ['content-language', 'a-b_c,'.repeat(2_000)]),
  headed('server', ['server', 'a'.repeat(14_000)]),
  headed(
    'signals',
    repeated('content-signal', 200, (at) => `${at} ${' '.repeat(40)}x`),
  ),
  headed('refresh', ['refresh', `0;url=${'x'.repeat(12_000)}`]),
  headed('retry', ['retry-after', '9'.repeat(10_000)], {
    answer: { status: 503, headers: ['retry-after', '9'.repeat(10_000)], body: () => '' },
    alone: true,
  }),
  headed('location', [], {
    answer: { status: 302, headers: ['location', `http://${'a'.repeat(14_000)}/`], body: () => '' },
  }),
  raw('too-many', () => `HTTP/1.1 200 OK\r\n${numbered(100_000, (at) => `h${at}: v\r\n`)}${body}`, {
    says: { verdict: 'failed' },
  }),
  raw('too-long', () => `HTTP/1.1 200 OK\r\nh: ${'v'.repeat(5_000_000)}${body}`, {
    says: { verdict: 'failed' },
  }),
  raw('status-line', () => `HTTP/1.1 200 ${'K'.repeat(5_000_000)}${body}`, { says: { verdict: 'failed' } }),
  raw('interim', () => `${'HTTP/1.1 102 Processing\r\n\r\n'.repeat(20_000)}HTTP/1.1 200 OK${body}`),
  raw(
    'chunks',
    () =>
      `HTTP/1.1 200 OK\r\ncontent-type: text/html\r\ntransfer-encoding: chunked\r\n\r\n${'1;x=y\r\na\r\n'.repeat(400_000)}0\r\n\r\n`,
  ),
  raw('lengths', () => `HTTP/1.1 200 OK\r\n${'content-length: 4\r\n'.repeat(400)}${body}`),
];
