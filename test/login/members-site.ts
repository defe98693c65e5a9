import { randomBytes } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** How pages are answered to those who are not logged in. `all`: by their number, each way in turn. */
export type Refusal = 'soft' | 'redirect' | '401' | '403' | 'all';

export interface MembersOptions {
  pages: number;
  refusal: Refusal;
  /** Numbers of page requests, counted from 1, at which every session ends before the answer. */
  loseAt?: readonly number[];
  user?: string;
  password?: string;
  /** Who knows the name and password is let in by HTTP Basic, and there are no sessions. */
  basic?: boolean;
  /** The sign of being logged in is drawn by a script that asks for it. */
  drawn?: boolean;
  listenOn?: string;
  /** Pages that anyone may read, and that do not say whose account it is. */
  open?: readonly number[];
  /** Where the form leads who is let in; default: the first page. */
  landsOn?: string;
  /** Number of the page request, counted from 1, from which on everyone is challenged until a new session is let in. */
  challengeAt?: number;
  challengeStatus?: number;
  /** Pages that no member may read, and whether they say whose account it is. */
  forbidden?: readonly number[];
  forbiddenSign?: boolean;
  /** What every page loads besides. */
  loads?: readonly string[];
}

/** One request as the site saw it. */
export interface MembersRequest {
  path: string;
  method: string;
  /** The account was logged in when it was answered. */
  isIn: boolean;
  /** Whose session it came with, where it has one. */
  by: string | undefined;
  atMs: number;
  losses: number;
}

/** A site of pages that members see otherwise than visitors. Its log is the judge. */
export interface MembersSite {
  readonly origin: string;
  readonly log: MembersRequest[];
  /** How often the session was lost. */
  readonly losses: number;
  /** Every secret that it has given out or let in. */
  readonly secrets: Set<string>;
  /** Lets a session in, as after a login elsewhere; answers its cookie. */
  admit(as?: string): string;
  /** Ends all sessions, or those of one member. */
  lose(of?: string): void;
  setPassword(password: string): void;
  close(): Promise<void>;
}

export const memberMark = 'for-members-only';
export const visitorMark = 'please-log-in-first';

const ways = ['soft', 'redirect', '401', '403'] as const;

export async function startMembersSite(options: MembersOptions): Promise<MembersSite> {
  const { pages, refusal, basic = false, user = 'alice', landsOn = '/' } = options;
  let { password = 'opensesame' } = options;
  const log: MembersRequest[] = [];
  /** Whose each session is. */
  const sessions = new Map<string, string>();
  const forms = new Set<string>();
  const secrets = new Set<string>([password]);
  const loseAt = new Set(options.loseAt ?? []);
  let losses = 0;
  let isChallenging = false;
  let asked = 0;

  function admit(as = user): string {
    isChallenging = false;
    const token = `s-${randomBytes(12).toString('hex')}`;
    sessions.set(token, as);
    secrets.add(token);
    return token;
  }

  function lose(of?: string): void {
    for (const [token, owner] of sessions) if (of === undefined || owner === of) sessions.delete(token);
    losses += 1;
    if (basic) setPassword(`p-${randomBytes(8).toString('hex')}`);
  }

  function setPassword(next: string): void {
    password = next;
    secrets.add(next);
  }

  function ownerOf({ headers }: IncomingMessage): string | undefined {
    return sessions.get(/(?:^|; )session=([^;]*)/.exec(headers.cookie ?? '')?.[1] ?? '');
  }

  function isMember(request: IncomingMessage): boolean {
    const { headers } = request;
    if (!basic) return ownerOf(request) !== undefined;
    return headers.authorization === `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`;
  }

  function refuse(response: ServerResponse, path: string, number: number): void {
    const way = refusal === 'all' ? (ways[number % ways.length] ?? 'soft') : refusal;
    const body = `<title>Members</title><p>${visitorMark}</p><a href="/login">Log in</a>`;
    if (way === 'redirect')
      return void response.writeHead(302, { location: `/login?next=${encodeURIComponent(path)}` }).end();
    const status = way === 'soft' ? 200 : Number(way);
    const challenge = status === 401 && basic ? { 'www-authenticate': 'Basic realm="members"' } : {};
    response.writeHead(status, { 'content-type': 'text/html', ...challenge }).end(body);
  }

  function showPage(request: IncomingMessage, response: ServerResponse, path: string): void {
    const number = path === '/' ? 0 : Number(/^\/p\/(\d+)$/.exec(path)?.[1] ?? -1);
    const next = [number * 2 + 1, number * 2 + 2].filter((n) => n < pages);
    const links = next.map((n) => `<a href="/p/${n}">${n}</a>`).join(' ');
    const isOpen = options.open?.includes(number) === true;
    // Each answer gives the session another name, as careful sites do.
    const owner = ownerOf(request);
    const token = basic || (isOpen && owner === undefined) ? undefined : admit(owner);
    const old = /(?:^|; )session=([^;]*)/.exec(request.headers.cookie ?? '')?.[1];
    if (old !== undefined && number % 3 === 0) sessions.delete(old);
    const loads = (options.loads ?? []).map((src) => `<img src="${src}">`).join('');
    const me = isOpen ? '' : '<a class="me" href="/account/log-out">alice, log out</a>';
    const sign = options.drawn
      ? `<span id=x></span><script>fetch('/me').then((r) => r.text()).then((t) => { document.querySelector('#x').outerHTML = t; });</script>`
      : me;
    response
      .writeHead(200, {
        'content-type': 'text/html',
        ...(token === undefined || number % 3 !== 0
          ? {}
          : { 'set-cookie': `session=${token}; Path=/; HttpOnly` }),
      })
      .end(
        `<title>Page ${number}</title><link rel=icon href="data:,">${sign}${loads}<p>${memberMark} ${number}</p>${links} <a href="/signout?all=1">out</a>`,
      );
  }

  function showForm(response: ServerResponse): void {
    const token = randomBytes(8).toString('hex');
    forms.add(token);
    response
      .writeHead(200, { 'content-type': 'text/html', 'set-cookie': `csrf=${token}; Path=/` })
      .end(
        `<title>Log in</title><p>${visitorMark}</p><form method=post action="/session"><input type=hidden name=csrf value="${token}"><label>Name <input name=username></label><label>Password <input type=password name=password></label><button>Log in</button></form>`,
      );
  }

  async function takeForm(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const sent = new URLSearchParams(Buffer.concat(chunks).toString());
    const csrf = sent.get('csrf') ?? '';
    const isFresh = forms.delete(csrf) && (request.headers.cookie ?? '').includes(`csrf=${csrf}`);
    const isRight = isFresh && sent.get('username') === user && sent.get('password') === password;
    if (!isRight) return void response.writeHead(302, { location: '/login?wrong=1' }).end();
    response
      .writeHead(303, { location: landsOn, 'set-cookie': `session=${admit()}; Path=/; HttpOnly` })
      .end();
  }

  const server = createServer((request, response) => {
    const { url = '/', method = 'GET' } = request;
    const path = url.split('?', 1)[0] ?? '/';
    const isPage = path === '/' || path.startsWith('/p/');
    if (isPage) asked += 1;
    if (isPage && loseAt.has(asked)) lose();
    if (isPage && asked === options.challengeAt) isChallenging = true;
    const number = path === '/' ? 0 : Number(path.slice(3));
    const isIn = isMember(request);
    log.push({ path: url, method, isIn, by: ownerOf(request), atMs: performance.now(), losses });
    if (path === '/robots.txt') response.writeHead(200).end('User-agent: *\nDisallow: /login\n');
    else if (path === '/login') showForm(response);
    else if (path === '/session') void takeForm(request, response);
    else if (path === '/me')
      response
        .writeHead(200, { 'content-type': 'text/html' })
        .end(isIn ? '<a class="me">alice</a>' : '<a href="/login">Log in</a>');
    else if (/out/.test(path)) {
      sessions.clear();
      response.writeHead(200).end('bye');
    } else if (!isPage) response.writeHead(404).end();
    else if (isChallenging)
      response
        .writeHead(options.challengeStatus ?? 403, {
          'content-type': 'text/html',
          'cf-mitigated': 'challenge',
        })
        .end('<title>Wait</title>');
    else if (isIn && options.forbidden?.includes(number))
      response
        .writeHead(403, { 'content-type': 'text/html' })
        .end(`<title>No</title>${options.forbiddenSign ? '<a class="me">alice</a>' : ''}`);
    else if (isIn || options.open?.includes(number)) showPage(request, response, path);
    else refuse(response, path, path === '/' ? 0 : Number(path.slice(3)));
  });
  const listenOn = options.listenOn ?? '127.0.0.1';
  await new Promise<void>((resolve) => server.listen(0, listenOn, resolve));
  const { port } = server.address() as AddressInfo;
  return {
    origin: `http://${listenOn}:${port}`,
    log,
    secrets,
    get losses() {
      return losses;
    },
    admit,
    lose,
    setPassword,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
