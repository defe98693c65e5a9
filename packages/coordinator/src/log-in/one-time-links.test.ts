import { expect, test } from 'vitest';
import { tokenDigest } from '../tokens/tokens.ts';
import { createOneTimeLinks, linkLifetimeMs } from './one-time-links.ts';

function world() {
  let nowMs = 1_000;
  const links = createOneTimeLinks({ wall: () => nowMs });
  return { links, pass: (ms: number) => void (nowMs += ms) };
}

test('a code is exchanged once, for the token of an operator', () => {
  const { links } = world();
  const code = links.issue();
  const token = links.redeem(code) ?? '';
  expect(links.holderOf(tokenDigest(token))).toMatchObject({ scope: 'operator', team: 'default' });
  expect(links.redeem(code)).toBeUndefined();
});

test('a code that is too old is worth nothing, and is not asked for again', () => {
  const { links, pass } = world();
  const code = links.issue();
  pass(linkLifetimeMs);
  expect(links.redeem(code)).toBeUndefined();
  const next = links.issue();
  pass(linkLifetimeMs - 1);
  expect(links.redeem(next)).toMatch(/^wf_/);
});

test('a new link makes the one before it void, and a wrong code costs nothing', () => {
  const { links } = world();
  const [first, second] = [links.issue(), links.issue()];
  expect(links.redeem(first)).toBeUndefined();
  expect(links.redeem('x')).toBeUndefined();
  expect(links.redeem(second)).toMatch(/^wf_/);
});

test('those who hold a token keep it when another browser logs in', () => {
  const { links } = world();
  const [one, two] = [links.redeem(links.issue()) ?? '', links.redeem(links.issue()) ?? ''];
  expect(one).not.toBe(two);
  for (const token of [one, two]) expect(links.holderOf(tokenDigest(token))).toBeDefined();
  expect(links.holderOf(tokenDigest('wf_other'))).toBeUndefined();
});
