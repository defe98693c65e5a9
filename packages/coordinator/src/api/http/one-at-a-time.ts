import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** Requests that a client has sent ahead of their answers. Whoever sends more is cut off. */
const mostAhead = 100;

/**
 * Begins an answer when the client has taken the one before it on the same connection. Node begins all of them at once, so
 * that a client which reads nothing would have as many answers made for it as it asks for; and those of one that has gone
 * would still be made.
 */
export function oneAtATime(listener: RequestListener): RequestListener {
  const waiting = new WeakMap<Socket, [IncomingMessage, ServerResponse][]>();

  function begin(socket: Socket, request: IncomingMessage, response: ServerResponse): void {
    response.once('close', () => {
      const next = waiting.get(socket)?.shift();
      if (!next) waiting.delete(socket);
      else if (!socket.destroyed) begin(socket, ...next);
    });
    listener(request, response);
  }

  return (request, response) => {
    const { socket } = request;
    const queue = waiting.get(socket);
    if (!queue) {
      waiting.set(socket, []);
      begin(socket, request, response);
    } else if (queue.length < mostAhead) queue.push([request, response]);
    else socket.destroy();
  };
}
