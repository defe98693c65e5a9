import { WebfarerError } from '@webfarer/protocol';
import { epochChanged } from './epoch-changed.ts';
import { type Reply, ReplyError } from './wire/resp.ts';

/** The parts of an answer; an error of the engine is thrown. */
export function replyArray(reply: Reply): Reply[] {
  if (reply instanceof ReplyError && reply.code === 'EPOCH') throw epochChanged();
  if (reply instanceof ReplyError) {
    throw new WebfarerError('storage', `the store answered: ${reply.text}`, {
      next: 'See the server log; `webfarer doctor --store URL` checks its settings.',
    });
  }
  if (!Array.isArray(reply)) throw new WebfarerError('internal', `the store answered ${String(reply)}`);
  return reply;
}
