import { WebfarerError } from '@webfarer/protocol';
import { type Reply, ReplyError } from '../wire/resp.ts';

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
    next: 'Give the user the rights that this prints (ACL SETUSER ...), then run again:  webfarer store acl',
  });
}
