import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { byteLength, encode, type Reply, ReplyError, replyParser } from './resp.ts';
import { cpuMs } from '../../../../../test/cpu-time.ts';

/** The reply as a server writes it. */
function written(reply: Reply): string {
  if (reply === null) return '$-1\r\n';
  if (typeof reply === 'number') return `:${reply}\r\n`;
  if (typeof reply === 'string') return `$${Buffer.byteLength(reply)}\r\n${reply}\r\n`;
  if (reply instanceof ReplyError) return `-${reply.text}\r\n`;
  return `*${reply.length}\r\n${reply.map(written).join('')}`;
}

function parse(chunks: Iterable<Buffer>): Reply[] {
  const replies: Reply[] = [];
  const parser = replyParser((reply) => replies.push(reply));
  for (const chunk of chunks) parser.feed(chunk);
  return replies;
}

const { reply: anyReply } = fc.letrec<{ reply: Reply }>((tie) => ({
  reply: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    fc.string({ unit: 'binary', maxLength: 40 }),
    fc.maxSafeInteger(),
    fc.constant(null),
    fc.stringMatching(/^[A-Z]{3,8} [ -~]{0,20}$/).map((text) => new ReplyError(text)),
    fc.array(tie('reply'), { maxLength: 5 }),
  ),
}));

describe('replies', () => {
  const samples: Reply[] = [
    'grüße ✓ \r\n',
    '',
    -12,
    null,
    new ReplyError('MOVED 12 10.0.0.1:7000'),
    [],
    [1, ['a', [null, []]], new ReplyError('ERR x')],
  ];
  const bytes = Buffer.from(`+OK\r\n*-1\r\n${samples.map(written).join('')}`);
  const expected = ['OK', null, ...samples];

  it('are read whole, cut at any byte, and byte by byte', () => {
    expect(parse([bytes])).toEqual(expected);
    for (let at = 0; at <= bytes.length; at++)
      expect(parse([bytes.subarray(0, at), bytes.subarray(at)])).toEqual(expected);
    expect(parse(Array.from(bytes, (byte) => Buffer.from([byte])))).toEqual(expected);
  });

  it('are read however they are cut', () => {
    const cuts = fc.array(fc.nat(60), { maxLength: 40 });
    fc.assert(
      fc.property(fc.array(anyReply, { maxLength: 6 }), cuts, (replies, lengths) => {
        const all = Buffer.from(replies.map(written).join(''));
        const chunks: Buffer[] = [];
        let at = 0;
        for (const length of lengths) chunks.push(all.subarray(at, (at += length)));
        chunks.push(all.subarray(at));
        expect(parse(chunks)).toEqual(replies);
      }),
    );
  });

  it('of many megabytes in small pieces are copied once, not once for each piece', () => {
    const text = 'x'.repeat(16 * 1024 * 1024);
    const all = Buffer.from(written([text, 1]));
    const chunks = Array.from({ length: Math.ceil(all.length / 1024) }, (_, n) =>
      all.subarray(n * 1024, n * 1024 + 1024),
    );
    const started = cpuMs();
    expect(parse(chunks)[0]).toHaveLength(2);
    // 16,384 pieces copied again and again would be 128 GiB.
    expect(cpuMs() - started).toBeLessThan(5_000);
  });

  it.each(['hello\r\n', ':1x\r\n', '$3\r\nabcd\r\n', ':\r\n', '\r\n', '\n', '$99999999999\r\n', '*1\n'])(
    'that are none are refused: %j',
    (text) => {
      expect(() => parse([Buffer.from(text)])).toThrow(Error);
    },
  );
});

describe('commands', () => {
  it('are written with the length in bytes', () => {
    expect(
      encode([
        ['SET', 'k', 'ü'],
        ['INCRBY', 'k', 12],
      ]).toString(),
    ).toBe('*3\r\n$3\r\nSET\r\n$1\r\nk\r\n$2\r\nü\r\n*3\r\n$6\r\nINCRBY\r\n$1\r\nk\r\n$2\r\n12\r\n');
  });

  it('count bytes as they are written, halves of characters included', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 100 }), fc.boolean(), (text, half) => {
        const word = half ? `${text}\ud800` : text;
        expect(byteLength(word)).toBe(Buffer.from(word).length);
      }),
    );
  });
});
