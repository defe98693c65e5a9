import type { Endpoint } from '../address/address.ts';
import { type ConnectionTimes, openConnection } from './connection.ts';
import type { Command, Reply } from './resp.ts';

const askTimes: ConnectionTimes = { connectMs: 1_000, answerMs: 1_000 };

/** A few questions on a connection of their own, so that no blocked pipeline is in their way. */
export async function ask(endpoint: Endpoint, commands: Command[]): Promise<Reply[]> {
  const connection = await openConnection(endpoint, askTimes);
  try {
    return await connection.pipeline(commands);
  } finally {
    connection.end('asked');
  }
}
