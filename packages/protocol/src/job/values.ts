import { z } from 'zod';
import { durationPattern, parseDuration, parseSize, sizePattern } from './units.ts';
import { expressionTrouble } from '../expression/expression.ts';
import { hostPattern } from '../url/host-pattern.ts';
import { parseUrl } from '../url/url.ts';
import { typeOfExtension } from './media-types.ts';

/** The single values a job file is made of. Each error says how the value is written. */

export const none = 'none';

export const count = z.int().min(0);

export const countOrNone = `expected a whole number, or ${none}`;

const durationError = 'expected a time with its unit, such as 500ms, 1s, 10m, 12h or 7d';
export const duration = z
  .union([z.string().regex(durationPattern, { error: durationError }), z.literal(0)], {
    error: durationError,
  })
  .transform((value) => (value === 0 ? 0 : (parseDuration(value) ?? 0)));

const sizeError = 'expected a size such as 500KB, 10MB or 20GB, or a number of bytes';
export const size = z
  .union([z.string().regex(sizePattern, { error: sizeError }), z.int().min(0)], { error: sizeError })
  .transform((value) => (typeof value === 'number' ? value : (parseSize(value) ?? 0)));

export const sizeOrNone = `${sizeError}, or ${none}`;
export const durationOrNone = `${durationError}, or ${none}`;

/** A limit that can be switched off. */
export function orNone<T extends z.ZodType>(schema: T, error: string) {
  return z.union([z.literal(none), schema], { error });
}

export function budget(defaults: { pages: number }) {
  return z
    .strictObject({
      pages: orNone(count, countOrNone).prefault(defaults.pages).describe('Pages'),
      bytes: orNone(size, sizeOrNone).prefault(none).describe('Bytes of bodies received'),
    })
    .prefault({});
}

/** An expression whose matches are taken from a text. */
export const findText = (flags?: 'u') =>
  z
    .string()
    .min(1)
    .superRefine((source, context) => {
      const message = expressionTrouble(source, { flags, use: 'find' });
      if (message !== undefined) context.addIssue({ code: 'custom', message });
    });

export const urlPattern = z
  .union(
    [
      z.string().min(1).max(1000),
      z
        .strictObject({
          regex: z.string().min(1).describe('A JavaScript regular expression'),
          flags: z.literal('i').optional().describe('i: upper and lower case are the same'),
        })
        .superRefine(({ regex, flags }, context) => {
          const message = expressionTrouble(regex.replaceAll('{seeds}', '(?:x)'), { flags, use: 'test' });
          if (message !== undefined) context.addIssue({ code: 'custom', message, path: ['regex'] });
        })
        .transform(({ regex, flags }) => (flags === undefined ? { regex } : { regex, flags })),
    ],
    {
      error: "expected a glob such as '**/login/**', or { regex: '…' }",
    },
  )
  .describe(
    'A glob (* within a segment, ** across segments, {seeds} for the host of any seed) or { regex: … } matched anywhere',
  );

const costError = "expected a number to add (+1) or a text such as '*2' to multiply by";
export const urlCost = z
  .union(
    [
      z.number().min(-1e6).max(1e6),
      z.string().regex(/^\s*(?:[+-]|\*)\s*\d+(?:\.\d+)?\s*$/, { error: costError }),
    ],
    { error: costError },
  )
  .transform((value): { add: number } | { times: number } => {
    if (typeof value === 'number') return { add: value };
    const text = value.replaceAll(/\s/g, '');
    return text.startsWith('*') ? { times: Number(text.slice(1)) } : { add: Number(text) };
  })
  .describe("Added to the cost of the page the link is on (+1), or multiplies it ('*2')");

export const httpUrl = z.string().refine((text) => /^https?:$/.test(parseUrl(text)?.protocol ?? ''), {
  error: 'expected an http or https URL',
});

/** Where verifiers of signatures look for keys, below the origin that names their owner. */
export const keyDirectoryPath = '/.well-known/http-message-signatures-directory';

/** An https origin; its well-known address is accepted too, because people copy that. */
export const directoryOrigin = z
  .string()
  .refine((text) => originOfDirectory(text) !== undefined, {
    error: 'expected an https origin such as https://crawler.example.org',
  })
  .transform((text) => originOfDirectory(text) ?? text);

function originOfDirectory(text: string): string | undefined {
  const url = parseUrl(text);
  if (url?.protocol !== 'https:' || url.username !== '' || url.password !== '') return undefined;
  const isOrigin = ['/', keyDirectoryPath].includes(url.pathname) && url.search === '' && url.hash === '';
  return isOrigin ? url.origin : undefined;
}

/** Lower-cased and in ASCII, as `hostOf` gives it. */
export const hostName = z
  .string()
  .refine((text) => hostKey(text) !== undefined, {
    error: 'expected a host name without scheme, port or path',
  })
  .transform((text) => hostKey(text) ?? text);

/** The same where a port may be written: politeness is owed to a host, whatever its ports. */
export const hostWithPort = z
  .string()
  .refine((text) => hostKey(withoutPort(text)) !== undefined, {
    error: 'expected a host name, with or without a port, but without scheme or path',
  })
  .transform((text) => hostKey(withoutPort(text)) ?? text);

/** A host, or a domain with all hosts below it; as rules are looked up by it. */
export const hostMatch = z
  .string()
  .refine((text) => hostPattern(text) !== undefined, {
    error: 'expected a host name, or *.example.org for a domain and all hosts below it',
  })
  .transform((text) => hostPattern(text) ?? text);

function withoutPort(text: string): string {
  return text.replace(/^(\[[^\]]*\]|[^:]*):\d{1,5}$/, '$1');
}

function hostKey(text: string): string | undefined {
  // A default port would vanish in parsing; outside of brackets a colon can only be a port's.
  if (/[/?#@\s\\]|^[^[]*:|\]:/.test(text)) return undefined;
  const url = parseUrl(`http://${text}/`);
  return url === undefined || url.hostname === '' ? undefined : url.hostname;
}

export const typePattern = z.string().regex(/^(?:\*\/\*|[\w.+-]+\/(?:\*|[\w.+*-]+))$/, {
  error: "expected a content type such as 'text/html', 'image/*' or '*/*'",
});

/** `pdf` or `image/*`; as a content type either way. */
export const fileType = z
  .string()
  .transform((text) => (text.includes('/') ? text : (typeOfExtension(text) ?? text)))
  .pipe(
    z.string().regex(/^[\w.+-]+\/(?:\*|[\w.+*-]+)$/, {
      error: "expected an extension such as pdf, or a content type such as 'image/*'",
    }),
  );

export const port = z.int().min(1).max(65_535);

const proxySchemes = ['http:', 'https:', 'socks4:', 'socks4a:', 'socks5:', 'socks5h:'];
export const proxyUse = z
  .string()
  .refine((text) => text === 'direct' || isProxy(text), {
    error:
      'expected direct or a proxy such as socks5://127.0.0.1:9050 (http, https, socks4, socks4a, socks5, socks5h)',
  })
  .describe('direct, or the address of a proxy: http, https, socks4, socks4a, socks5 or socks5h');

function isProxy(text: string): boolean {
  const url = parseUrl(text);
  return url !== undefined && proxySchemes.includes(url.protocol) && url.hostname !== '';
}

/** An IP address with an optional port: `127.0.0.1:5353`, `[::1]:5353`. */
export const resolverAddress = z
  .string()
  .refine(
    (text) =>
      /^(?:[\d.]+|\[[\da-f:.]+\])(?::\d{1,5})?$/i.test(text) && parseUrl(`http://${text}/`) !== undefined,
    {
      error: 'expected the IP address of a DNS server, such as 127.0.0.1:5353 or [::1]:53',
    },
  );

/** Origins and address ranges that stand for what was written: a host with port means both schemes. */
function allowances(text: string): string[] {
  if (/^(?:[\d.]+\/\d{1,2}|[\da-f:.]*:[\da-f:.]*\/\d{1,3})$/i.test(text)) return [text.toLowerCase()];
  if (/^https?:\/\//i.test(text)) {
    const url = parseUrl(text);
    return url === undefined || url.pathname !== '/' || url.search !== '' ? [] : [url.origin];
  }
  if (/[/?#@\s\\]/.test(text)) return [];
  const origins = ['http', 'https'].map((scheme) => parseUrl(`${scheme}://${text}/`)?.origin);
  return origins.filter((origin) => origin !== undefined);
}

export const privateAllowance = z
  .string()
  .refine((text) => allowances(text).length > 0, {
    error:
      'expected a host with port (localhost:3000), an origin (http://localhost:3000) or a range (10.0.0.0/8)',
  })
  .transform(allowances);

export const headerValue = z
  .string()
  .regex(/^[\x20-\x7e\t]*$/, { error: 'expected printable ASCII on one line' });

/** What the crawler sets itself, what frames the message, and what belongs to a login. */
const forbiddenHeaders = new Set([
  'host',
  'cookie',
  'authorization',
  'proxy-authorization',
  'user-agent',
  'connection',
  'keep-alive',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'content-length',
  'upgrade',
  'expect',
  'accept-encoding',
]);
export const headerName = z
  .string()
  .regex(/^[!#$%&'*+.^_`|~\w-]+$/, { error: 'not a valid header name' })
  .refine((name) => !forbiddenHeaders.has(name.toLowerCase()), {
    error: ({ input }) =>
      `the crawler sets this header itself${/^authorization$/i.test(String(input)) ? ', by --credentials-file or WEBFARER_CREDENTIALS' : ''}`,
  });

/** Why a request may not carry this header; undefined: it may. */
export function headerTrouble(name: string, value: unknown): string | undefined {
  if (typeof value !== 'string') return 'its value is not a text';
  const problem = headerName.safeParse(name).error ?? headerValue.safeParse(value).error;
  return problem?.issues[0]?.message;
}

/** Fails as a whole, so that in a union the other words are suggested instead. */
export const modulePath = z.string().regex(/^(?:\.{0,2}\/|.*\.[cm]?[jt]s$)/, { abort: true });

/** Requests in flight on one public IP address: a hosting service has many unrelated sites behind one. */
export const defaultPerAddress = 4;

/** The name of a team. */
export const teamName = z.string().regex(/^[a-z0-9][a-z0-9._-]{0,62}$/, {
  error: 'a team has up to 63 lower-case letters, digits, dots, hyphens and underscores',
});
/** The team of crawls and tokens that name none. */
export const defaultTeam = 'default';

const servers = String.raw`(?:redis|valkey)s?:\/\/[^\s/?]+\/?`;
const sentinels = String.raw`(?:redis|valkey)s?\+sentinel:\/\/[^\s/?]+\/[^\s/?]+`;
const socket = String.raw`unix:\/\/(?:[^\s@/]*@)?\/[^\s,?]+`;

/** The address of a store, as far as a job file is checked; whoever connects reads the rest. */
// allow(expression): of the constants above
export const storeUrl = z.string().regex(new RegExp(`^(?:${servers}|${sentinels}|${socket})(?:\\?\\S*)?$`), {
  error:
    'expected redis://host:6379, several nodes by commas; rediss:// for TLS, redis+sentinel://host:26379/NAME, unix:///path for a socket',
});
