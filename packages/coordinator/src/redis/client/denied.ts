import { WebfarerError } from '@webfarer/protocol';
import { type Reply, ReplyError } from './resp.ts';

/** The server knows who asks and does not let them: asking again changes nothing. */
export function isDenied(reply: Reply | undefined): reply is ReplyError {
  return (
    reply instanceof ReplyError &&
    /^NOPERM|ACL failure in script|user executing the script can't/.test(reply.text)
  );
}

export function denied(address: string, { text }: ReplyError): WebfarerError {
  // "... no permissions to run the 'hkeys' command", or of one that a script runs, without its name.
  const command = /'([^']+)'/.exec(text)?.[1];
  const what = command === undefined ? 'run a command of a script' : `run ${command.toUpperCase()}`;
  return new WebfarerError('store-denied', `the user of the store at ${address} may not ${what} (${text})`, {
    next: 'Give the user the rights that docs/frontier.md lists under "Who may reach it" (ACL SETUSER ...), then run again.',
  });
}

export function sentinel(address: string): WebfarerError {
  return new WebfarerError('store-denied', `${address} is a Sentinel, which keeps no data`, {
    next: 'Name the server that it monitors (redis-cli -p PORT SENTINEL GET-MASTER-ADDR-BY-NAME NAME), or the nodes of a cluster: only a cluster replaces a lost primary without losing acknowledged URLs.',
  });
}
