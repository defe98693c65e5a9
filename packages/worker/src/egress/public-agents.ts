import { lookup as resolveName, type LookupAddress } from 'node:dns';
import { Agent as HttpAgent } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';
import type { LookupFunction, Socket } from 'node:net';
import { isGloballyReachable, parseAddress } from './address.ts';

export interface PublicAgents {
  httpAgent: HttpAgent;
  httpsAgent: HttpsAgent;
}

/**
 * Agents of Node's own HTTP client, for a library that brings its requests and not its connections. They obey what the
 * egress obeys: every address of a name is checked, the connection is made to one of those, and checked again.
 */
export function publicAgents(maxSockets: number): PublicAgents {
  const options = { maxSockets, keepAlive: true, lookup };
  return { httpAgent: guarded(new HttpAgent(options)), httpsAgent: guarded(new HttpsAgent(options)) };
}

function guarded<A extends HttpAgent>(agent: A): A {
  const connect = agent.createConnection.bind(agent);
  agent.createConnection = (options, done) => {
    // An address is not looked up, so it is judged here.
    const { host } = options as { host?: string | null };
    if (host && parseAddress(host) && !isPublic(host)) {
      // A request that waited for a free connection has nobody who would catch an error.
      done?.(notPublic(host), undefined as never);
      return undefined;
    }
    const socket = connect(options, done) as Socket;
    // Before the first byte is written: the listener of the request comes later.
    socket.prependOnceListener('connect', () => {
      const there = socket.remoteAddress ?? 'nowhere';
      if (!isPublic(there)) socket.destroy(notPublic(there));
    });
    return socket;
  };
  return agent;
}

const lookup: LookupFunction = (hostname, options, done) => {
  resolveName(hostname, { ...options, all: true }, (error, addresses) => {
    if (error) return done(error, '', 0);
    const refused = addresses.find(({ address }) => !isPublic(address));
    if (refused) return done(notPublic(`${hostname} has an address that`), '', 0);
    if (options.all) return done(null, addresses);
    const [first] = addresses as [LookupAddress, ...LookupAddress[]];
    done(null, first.address, first.family);
  });
};

function isPublic(text: string): boolean {
  const address = parseAddress(text);
  return address !== undefined && isGloballyReachable(address);
}

function notPublic(what: string): Error {
  return new Error(`${what} is not globally reachable; s3.allowPrivate allows it`);
}
