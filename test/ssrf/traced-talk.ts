/** What a traced program said over the network, and to whom. */
export interface Talk {
  /** Connections to the loopback address that proxies listen on. */
  own: number;
  /** Everything else: connections to other places, and datagrams to any. */
  foreign: string[];
}

const connection = /connect\(\d+<(TCP|UDP)[^>]*>+, \{sa_family=AF_INET6?,.*?"([^"]+)"/;
const port = /_port=htons\((\d+)\)/;
const datagram = /(?:sendto|sendmsg|sendmmsg)\(\d+<UDP[^>]*>/;

/**
 * Reads the calls that `strace -yy` wrote. A connected datagram socket has sent nothing yet: browsers make one to learn
 * which address of their own would be used. Only what is sent on it counts.
 */
export function foreignTalk(calls: string): Talk {
  const talk: Talk = { own: 0, foreign: [] };
  for (const line of calls.split('\n')) {
    const [, protocol, address] = connection.exec(line) ?? [];
    const to = `${address}:${port.exec(line)?.[1]}`;
    if (protocol === 'TCP' && address === '127.0.0.1' && !/_port=htons\((?:80|8080|443)\)/.test(line))
      talk.own += 1;
    else if (protocol === 'TCP') talk.foreign.push(`tcp ${to}`);
    else if (datagram.test(line)) talk.foreign.push(line.slice(0, 200));
  }
  return talk;
}
