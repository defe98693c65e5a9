import type { Mutant } from './mutant.ts';

const http = 'packages/coordinator/src/api/http';
const app = `${http}/app.test.ts`;
const stream = 'packages/coordinator/src/stream/stream-server';

/** What stands between the API and those who attack it. */
export const apiMutants: readonly Mutant[] = [
  {
    name: 'figures-of-the-last-run',
    why: 'A crawl whose URLs were retried or dropped at rest would be shown as it ended.',
    file: 'packages/coordinator/src/api/families/crawls.ts',
    from: 'if (crawl || state ===',
    to: 'if (last || state ===',
    killer: {
      test: 'packages/coordinator/src/crawl-directory.test.ts',
      case: 'answers for a crawl that was stopped: its last figures, edits and questions to its queue',
    },
  },
  {
    name: 'start-loads-everything',
    why: 'Every command would take the time and memory of all of them to start.',
    file: 'packages/cli/src/command-table.ts',
    from: 'return isKnown && first !== knowsAll ?',
    to: 'return isKnown && first === knowsAll ?',
    killer: {
      test: 'packages/cli/src/command-table.test.ts',
      case: 'loads the command that is typed, and all where help is needed',
    },
  },
  {
    name: 'scope-not-asked',
    why: 'A viewer could delete crawls and make tokens.',
    file: `${http}/app.ts`,
    from: 'if (scopeCovers(principal.scope, needs)) return principal;',
    to: "if (needs !== 'worker') return principal;",
    killer: { test: app, case: 'asks for a token, and for one with the scope that the route needs' },
  },
  {
    name: 'origin-not-asked',
    why: 'A page of another site could use the API through the browser of someone who may.',
    file: `${http}/browser-guard.ts`,
    from: "!== header('host');",
    to: "=== header('host');",
    killer: {
      test: `${http}/http-server.test.ts`,
      case: 'refuses a WebSocket that a page of another site opens',
    },
  },
  {
    name: 'body-without-end',
    why: 'One request could fill the memory of a coordinator.',
    file: 'packages/coordinator/src/api/call/read-request.ts',
    from: 'if (bytes > maxBodyBytes) throw tooLarge();',
    to: 'if (bytes < 0) throw tooLarge();',
    more: [
      {
        file: 'packages/coordinator/src/api/call/read-request.ts',
        from: "if (Number(request.headers.get('content-length') ?? 0) > maxBodyBytes) throw tooLarge();",
        to: '',
      },
    ],
    killer: { test: app, case: 'refuses names that reach a prototype, bodies that are too large' },
  },
  {
    name: 'stream-outlives-token',
    why: 'Whoever stole a token could read on after it was revoked, for as long as the connection holds.',
    file: `${http}/app.ts`,
    from: 'withdraw: () => withdrawn.abort(),',
    to: 'withdraw: () => undefined,',
    killer: {
      test: app,
      case: 'cuts off an answer whose token is revoked while it is written',
      says: "to deeply equal [ 'cut' ]",
    },
  },
  {
    name: 'head-leaves-file-open',
    why: 'Requests for the head of a file would use up the open files of a coordinator.',
    file: `${http}/streamed.ts`,
    from: '| undefined = pieces.next();',
    to: '| undefined;',
    killer: {
      test: app,
      case: 'ends what it was about to stream where only the head is asked for',
      says: "to deeply equal [ 'head' ]",
    },
  },
  {
    name: 'schedule-without-admission',
    why: 'An operator could run code on the machines of the network, by scheduling it.',
    file: 'packages/coordinator/src/schedule/schedules.ts',
    from: "const own = scopeCovers(sender.scope, 'admin') ? 'admin' : 'operator';",
    to: "const own = scopeCovers(sender.scope, 'admin') ? 'admin' : ('admin' as const);",
    killer: {
      test: 'packages/coordinator/src/api/families/schedules.test.ts',
      case: 'lets only an admin schedule a job that runs a module',
      says: 'instead of rejecting',
    },
  },
  {
    name: 'policy-lends-to-everyone',
    why: 'A team could have the request headers of another sent to its own site, and reach private addresses by a policy that an admin wrote for others.',
    file: 'packages/coordinator/src/admission/admit-job.ts',
    from: "return own === other || users.includes(other) || users.includes('*');",
    to: 'return own === other || users.length >= 0;',
    killer: {
      test: 'packages/coordinator/src/admission/admit-job.test.ts',
      case: 'lends what is in a policy to its team and its users alone',
      says: 'instead of rejecting',
    },
  },
  {
    name: 'typed-secret-moved-by-an-edit',
    why: 'An operator could have the password of an admin typed into a site of their own.',
    file: 'packages/coordinator/src/admission/admit-job.ts',
    from: '      refuseHarm(changedPaths(before, whole), refused);\n',
    to: '',
    killer: {
      test: 'packages/coordinator/src/admission/admit-job.test.ts',
      case: 'keeps a typed secret on the pages that it was meant for',
      says: 'instead of rejecting',
    },
  },
  {
    name: 'mirror-anywhere',
    why: 'An operator could write files anywhere on the machines of the network.',
    file: 'packages/coordinator/src/admission/field-rules.ts',
    from: 'save[].warc.s3.allowPrivate mirror.folder`,\n  ),',
    to: "save[].warc.s3.allowPrivate`,\n  ),\n  'mirror.folder': 'operator',",
    killer: {
      test: 'packages/coordinator/src/admission/admit-job.test.ts',
      case: 'leaves to admins what reaches beyond that',
      says: 'instead of rejecting',
    },
  },
  {
    name: 'field-without-a-rule',
    why: 'A new field of jobs would be refused to everyone, or worse, nobody would have thought about it.',
    file: 'packages/coordinator/src/admission/field-rules.ts',
    from: 'save[].warc.s3.allowPrivate mirror.folder',
    to: 'save[].warc.s3.allowPrivate',
    killer: {
      test: 'packages/coordinator/src/admission/admit-job.test.ts',
      case: 'has a rule for every field of a job, and none for fields that do not exist',
      says: 'to deeply equal',
    },
  },
  {
    name: 'environment-typed-by-operators',
    why: 'An operator could have any secret of the environment of a worker typed into a page of their own.',
    file: 'packages/coordinator/src/admission/field-rules.ts',
    from: "...all('admin', 'steps[].recording steps[].do[].type.fromEnv'),",
    to: "...all('admin', 'steps[].recording'),\n  ...all('operator', 'steps[].do[].type.fromEnv'),",
    killer: {
      test: 'packages/coordinator/src/admission/admit-job.test.ts',
      case: 'leaves to admins what reaches beyond that',
      says: 'instead of rejecting',
    },
  },
  {
    name: 'place-of-a-storage-as-written',
    why: 'Beside the name of a storage, an operator could write another place, and have the machine sign requests to it.',
    file: 'packages/coordinator/src/admission/place-savers.ts',
    from: 'const warc = { ...rest, ...fields };',
    to: 'const warc = { ...rest, ...fields, at: (target as { warc: { at?: string } }).warc.at ?? fields.at };',
    killer: {
      test: 'packages/coordinator/src/admission/place-savers.test.ts',
      case: 'writes over what the sender says about the place',
      says: 'to deeply equal',
    },
  },
  {
    name: 'idle-connections-unbounded',
    why: 'A flood of connections that ask for nothing would keep everyone else out.',
    file: `${http}/connection-guard.ts`,
    from: 'if (idle.size <= limits.idleConnections) return;',
    to: 'if (idle.size >= 0) return;',
    killer: {
      test: `${http}/connection-guard.test.ts`,
      case: 'lets the longest idle connection make room',
      says: 'to be greater than 45',
    },
  },
  {
    name: 'strangers-fill-stream',
    why: 'Sockets without a token would take the places of those who have one.',
    file: `${stream}.ts`,
    from: 'unknown.length >= limits.unknownSockets',
    to: 'unknown.length < 0',
    killer: { test: `${stream}.test.ts`, case: 'keeps a place for those with a token', says: 'to be 25' },
  },
];
