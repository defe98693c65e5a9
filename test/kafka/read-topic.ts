import { Consumer, stringDeserializers } from '@platformatic/kafka';

export interface ReadMessage {
  partition: number;
  offset: bigint;
  key: string;
  value: string;
  headers: Map<string, string>;
}

/** Everything that a topic holds now, in the order of each partition. */
export async function readTopic(broker: string, topic: string, group: string): Promise<ReadMessage[]> {
  const consumer = new Consumer({
    groupId: group,
    clientId: group,
    bootstrapBrokers: [broker],
    deserializers: stringDeserializers,
  });
  try {
    const ends = (await consumer.listOffsets({ topics: [topic], timestamp: -1n })).get(topic) ?? [];
    const left = ends.reduce((sum, end) => sum + Number(end), 0);
    const found: ReadMessage[] = [];
    if (left === 0) return found;
    const stream = await consumer.consume({ topics: [topic], mode: 'earliest', autocommit: false });
    for await (const { partition, offset, key, value, headers } of stream) {
      found.push({ partition, offset, key, value, headers: new Map(headers) });
      if (found.length === left) break;
    }
    return found.toSorted((a, b) => a.partition - b.partition || Number(a.offset - b.offset));
  } finally {
    await consumer.close(true);
  }
}
