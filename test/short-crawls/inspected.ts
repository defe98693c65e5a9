import { readdirSync, readFileSync } from 'node:fs';
import type { NetworkProcess } from '../network/process.ts';

/** An option of Node: V8's inspector listens on a free port, which is printed. */
export const inspectable = '--inspect=127.0.0.1:0';

/** What a process holds after a collection of garbage. */
export interface Held {
  /** Closures among them: each subscription, callback and timer has one. */
  functions: number;
  promises: number;
  objects: number;
  /** Of event emitters and abort signals. */
  listeners: number;
  timers: number;
  /** Everything else that keeps a loop going: sockets, servers, pipes, files. */
  handles: number;
  files: number;
  threads: number;
  heapBytes: number;
  residentBytes: number;
}

/** The inspector of a process. */
export interface Inspected {
  held(): Promise<Held>;
  close(): void;
}

interface Reply {
  id?: number;
  result?: { result?: { value?: unknown; objectId?: string }; objects?: { objectId: string } };
  error?: { message: string };
}

const group = 'held';

const listenersOf = `function () {
  const { getEventListeners } = process.getBuiltinModule('node:events');
  let sum = 0;
  for (const one of this) {
    if (one instanceof AbortSignal) sum += getEventListeners(one, 'abort').length;
    else if (typeof one.eventNames === 'function' && one._events)
      for (const name of one.eventNames()) sum += one.listenerCount(name);
  }
  return sum;
}`;

export async function inspect(one: NetworkProcess): Promise<Inspected> {
  const url = /Debugger listening on (ws:\S+)/.exec(one.output())?.[1];
  if (url === undefined || one.pid === undefined) throw new Error(`${one.name} cannot be inspected`);
  const socket = new WebSocket(url);
  await new Promise((resolve, reject) => {
    socket.onopen = resolve;
    socket.onerror = reject;
  });
  const waiting = new Map<number, { resolve: (reply: Reply) => void; reject: (error: Error) => void }>();
  let last = 0;
  socket.onmessage = ({ data }) => {
    const reply = JSON.parse(String(data)) as Reply;
    if (reply.id === undefined) return;
    const asked = waiting.get(reply.id);
    waiting.delete(reply.id);
    if (reply.error) asked?.reject(new Error(reply.error.message));
    else asked?.resolve(reply);
  };
  socket.onclose = () => {
    for (const { reject } of waiting.values()) reject(new Error(`${one.name} is gone`));
  };

  async function call(method: string, params: Record<string, unknown> = {}) {
    const id = ++last;
    const reply = await new Promise<Reply>((resolve, reject) => {
      waiting.set(id, { resolve, reject });
      socket.send(JSON.stringify({ id, method, params }));
    });
    return reply.result ?? {};
  }

  const evaluate = async (expression: string) =>
    (await call('Runtime.evaluate', { expression, objectGroup: group })).result;
  const valueOf = async <T>(expression: string) =>
    (await call('Runtime.evaluate', { expression, returnByValue: true })).result?.value as T;

  async function ofAll<T>(prototype: string, functionDeclaration: string): Promise<T> {
    const prototypeObjectId = (await evaluate(prototype))?.objectId;
    const { objects } = await call('Runtime.queryObjects', { prototypeObjectId, objectGroup: group });
    const asked = { objectId: objects?.objectId, functionDeclaration, returnByValue: true };
    const { result } = await call('Runtime.callFunctionOn', asked);
    await call('Runtime.releaseObjectGroup', { objectGroup: group });
    return result?.value as T;
  }
  const countOf = (prototype: string) => ofAll<number>(prototype, 'function () { return this.length; }');

  return {
    async held() {
      // What finalizers release is garbage only afterwards.
      for (let times = 0; times < 3; times++) await call('HeapProfiler.collectGarbage');
      const functions = await countOf('Function.prototype');
      const promises = await countOf('Promise.prototype');
      const objects = await countOf('Object.prototype');
      const emitters = "process.getBuiltinModule('node:events').prototype";
      const listeners =
        (await ofAll<number>(emitters, listenersOf)) +
        (await ofAll<number>('AbortSignal.prototype', listenersOf));
      await call('HeapProfiler.collectGarbage');
      const resources = await valueOf<string[]>('process.getActiveResourcesInfo()');
      const timers = resources.filter((name) => name === 'Timeout' || name === 'Immediate').length;
      const heapBytes = await valueOf<number>('process.memoryUsage().heapUsed');
      const status = readFileSync(`/proc/${one.pid}/status`, 'utf8');
      const number = (name: string) => Number(new RegExp(`^${name}:\\s+(\\d+)`, 'm').exec(status)?.[1]);
      return {
        functions,
        promises,
        objects,
        listeners,
        timers,
        handles: resources.length - timers,
        files: readdirSync(`/proc/${one.pid}/fd`).length,
        threads: number('Threads'),
        heapBytes,
        residentBytes: number('VmRSS') * 1024,
      };
    },
    close: () => socket.close(),
  };
}
