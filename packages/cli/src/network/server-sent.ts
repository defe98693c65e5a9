/** One event of Server-Sent Events. */
export interface ServerSent {
  type: string;
  id: string;
  data: string;
}

/** The events in pieces of text, however they were cut. What was not ended by an empty line was cut off. */
export async function* serverSentIn(texts: AsyncIterable<string>): AsyncGenerator<ServerSent, void, void> {
  let rest = '';
  for await (const text of texts) {
    const blocks = (rest + text).split('\n\n');
    rest = blocks.pop() ?? '';
    for (const block of blocks) {
      const event = eventIn(block);
      if (event) yield event;
    }
  }
}

/** Undefined where a block sets something else, such as the time between two connections. */
function eventIn(block: string): ServerSent | undefined {
  const fields = new Map<string, string>();
  for (const line of block.split('\n')) {
    const [, name = '', value = ''] = /^(\w+): ?(.*)$/.exec(line) ?? [];
    if (name !== '') fields.set(name, value);
  }
  const data = fields.get('data');
  return data === undefined
    ? undefined
    : { type: fields.get('event') ?? 'message', id: fields.get('id') ?? '', data };
}
