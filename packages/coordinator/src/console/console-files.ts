import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { extname, join, relative, sep } from 'node:path';
import { brotliDecompressSync, gzipSync } from 'node:zlib';

type HeaderOf = (name: string) => string | undefined;

/** The pages of the web console. They hold no data: everything that they show comes from the API. */
export interface ConsoleFiles {
  /** Undefined: nothing of the console is at this path. */
  answer(path: string, header: HeaderOf): Response | undefined;
}

type Encoding = 'br' | 'gzip' | 'identity';

interface ConsoleFile {
  type: string;
  etag: string;
  /** Its name holds a digest of what is in it. */
  isFixed: boolean;
  bytes(encoding: Encoding): Uint8Array<ArrayBuffer>;
}

const page = 'index.html';
/** Not addresses of the console's screens, whatever becomes of the request. */
const apiPaths = /^\/(v1|health|ready|status|metrics|link)(\/|$)/;

const types: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
};

/** Files of this origin and nothing else: no inline code or style, no frame, no form, no text that becomes markup. */
const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self'",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
].join('; ');

const pageHeaders = {
  'content-security-policy': policy,
  'cross-origin-opener-policy': 'same-origin',
  'permissions-policy': 'camera=(), geolocation=(), microphone=(), payment=(), usb=()',
};

/** Reads what `npm run build` put into a folder: every file compressed with brotli. */
export function openConsoleFiles(folder: string): ConsoleFiles {
  const files = existsSync(folder) ? readFiles(folder) : new Map<string, ConsoleFile>();
  return {
    answer(path, header) {
      if (apiPaths.test(path)) return undefined;
      const file = files.get(path.slice(1)) ?? (isScreen(path) ? files.get(page) : undefined);
      if (file) return answerOf(file, header);
      return isScreen(path) ? notBuilt() : undefined;
    },
  };
}

/** An address of a screen has no file name in the end: which screen it is, the page itself finds out. */
const isScreen = (path: string): boolean =>
  path === '/' ||
  /^\/(network|jobs|schedules|policies|logins|owners|admin)(\/[^/]+)?$/.test(path) ||
  /^\/crawls\/[^/]+(\/(urls?|hosts|scope|job|data))?$/.test(path);

function readFiles(folder: string): Map<string, ConsoleFile> {
  const found = new Map<string, ConsoleFile>();
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile() || !entry.name.endsWith('.br')) continue;
    const path = join(entry.parentPath, entry.name);
    const name = relative(folder, path).split(sep).join('/').slice(0, -'.br'.length);
    found.set(name, fileOf(name, readFileSync(path)));
  }
  return found;
}

function fileOf(name: string, packed: Buffer<ArrayBuffer>): ConsoleFile {
  let gzipped: Buffer<ArrayBuffer> | undefined;
  return {
    type: types[extname(name)] ?? 'application/octet-stream',
    etag: createHash('sha256').update(packed).digest('base64url').slice(0, 22),
    isFixed: name.startsWith('assets/'),
    bytes(encoding) {
      if (encoding === 'br') return packed;
      const whole = brotliDecompressSync(packed);
      if (encoding === 'identity') return whole;
      return (gzipped ??= gzipSync(whole, { level: 9 }));
    },
  };
}

function answerOf(file: ConsoleFile, header: HeaderOf): Response {
  const encoding = encodingFor(header('accept-encoding') ?? '');
  const etag = `"${file.etag}-${encoding}"`;
  const headers = {
    ...pageHeaders,
    'content-type': file.type,
    'cache-control': file.isFixed ? 'public, max-age=31536000, immutable' : 'no-cache',
    etag,
    vary: 'accept-encoding',
    ...(encoding === 'identity' ? {} : { 'content-encoding': encoding }),
  };
  if (header('if-none-match')?.includes(etag)) return new Response(null, { status: 304, headers });
  const bytes = file.bytes(encoding);
  return new Response(bytes, { headers: { ...headers, 'content-length': String(bytes.length) } });
}

/** Browsers name brotli only where the connection is private: with TLS, and on their own machine. */
function encodingFor(accepted: string): Encoding {
  const names = accepted.split(',').flatMap((each) => {
    const [name = '', ...settings] = each.split(';').map((part) => part.trim());
    return settings.some((setting) => /^q=0(\.0*)?$/.test(setting)) ? [] : [name];
  });
  if (names.includes('br')) return 'br';
  return names.includes('gzip') ? 'gzip' : 'identity';
}

const notBuilt = (): Response =>
  new Response(
    'The console is not built in this checkout. Run npm run build and start the coordinator again; the API under /v1 works without it.\n',
    {
      status: 404,
      headers: { ...pageHeaders, 'content-type': 'text/plain; charset=utf-8', 'cache-control': 'no-cache' },
    },
  );
