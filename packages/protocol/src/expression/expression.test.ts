import { beforeAll, describe, expect, test } from 'vitest';
import { boundRegexps } from '../node/bounded-regexps.ts';
import { createExpression, type Expression, expressionTrouble } from './expression.ts';

const flagsOfAll = ['', 'i', 'u', 's', 'm', 'v', 'iu', 'is', 'us'];
const uses = ['test', 'find'] as const;

/** Separated by spaces: what people write, and every place where the languages of the engines differ. */
const sources = String.raw`
  a abc ^https?:// [?&]sort= \.(?:jpe?g|png)$ /p/(\d+) (\d{4})-(\d{2}) [^/]+$ . ^.$ a.b \s \S+ \w+ \W \b\w \Bx
  [\w.-]+@[\w-]+ (a|b)*c (?:(a)|b)* (a*)* (a*)+ (|a)* (?:|a)+ a{2} a{2,} a{2,3}? x* (x)?y (x*)?y [] [^] [^]* a| |a ()
  (?<n>a)(?<m>b)? \/ \- [\-a] [a-\d] [\d-a-z] [\d-x] [a-] [-a] \x41 \u0041 \u{41} \cA \0 \t\n [\b] é [é-ü] \u00e9 ß ſ K [k]
  [^k] µ ÿ [À-Ö] Σ 😀 [😀] .😀 ^..$ \ud83d [\ud83d] \ud83d\ude00 { a{ a{,2} } ] \e \A \z \Q \. $ ^ ^$ a$|^b .{17}
  (?:a{10}){10} [\s\S]+?x (?:ab)+? \d+(?:,\d{3})* [!-~]+ \$\d (a)(b)(c)? [a-zA-Z0-9_]{3,20} i I ı İ ǆ ᾳ ﬀ [\W] [^\W]
  [^\s] \D+ (?:a?){3} (a?){3} (a){0}b a{0} a{01} (?:^a|b$) [\]x] [[] \[x\] (a|ab)(c|bcd)(d*) \p{L}+
`
  .trim()
  .split(/\s+/);

const texts = [
  '|a|A|b|ab|ba|aab|aaa|AAA|abc|ABC|abcd|xyz|https://a.example/p/123?sort=up|HTTP://A/P/1|a.jpg|A.JPEG|p',
  '2024-05 and 2025-11|é|É|ÿŸ|ſ|s|S|K|k|K|µ|μ|Μ|ß|ẞ|σςΣ|😀|a😀b|\ud83d|\ude00|x\ud83dy|\n|\r|a\nb|a\rb|a\u2028b',
  ' \t\u00a0\ufeff|\u000b|_x-1|{|a{|a{,2}|}|]|e|z|Q|.|-|/|\\|1,234,567|aaaaaaaaaaa!|,,,,,P|i|I|ı|İ|ǆǅǄ|ᾳᾼ|ﬀ',
  'me@x.example|$5|\0|\u0001|\b|[x]|yx|xxyxy|u{41}|aaaaaaaaaaaaaaaaaaaa',
].flatMap((line) => line.split('|'));

const pairs = flagsOfAll.flatMap((flags) => sources.map((source) => ({ source, flags }))).filter(isValid);

function isValid({ source, flags }: { source: string; flags: string }): boolean {
  try {
    new RegExp(source, flags);
    return true;
  } catch {
    return false;
  }
}

/** What differs from JavaScript, and how many expressions were refused. */
function compare() {
  const wrong: string[] = [];
  let refused = 0;
  for (const { source, flags } of pairs)
    for (const use of uses) {
      if (expressionTrouble(source, { flags, use }) !== undefined) {
        refused++;
        continue;
      }
      const expression = createExpression(source, { flags, use });
      const regexp = new RegExp(source, flags);
      const all = new RegExp(source, `${flags}g`);
      for (const text of texts) {
        const [ours, theirs] =
          use === 'test'
            ? [expression.test(text), regexp.test(text)]
            : [
                Array.from(expression.matches(text), (groups) => [...groups]),
                Array.from(text.matchAll(all), (groups) => [...groups]),
              ];
        if (JSON.stringify(ours) !== JSON.stringify(theirs))
          wrong.push(`/${source}/${flags} ${use} ${JSON.stringify(text)}: ${JSON.stringify(ours)}`);
      }
    }
  return { wrong, refused, share: refused / (pairs.length * uses.length) };
}

describe('an expression of a job', () => {
  // Flags of V8 hold for the process from then on, so this one comes first.
  test('means what it means in JavaScript where RE2 runs all of them', () => {
    const { wrong, share } = compare();
    expect(wrong).toEqual([]);
    expect(share).toBeLessThan(0.4);
  });

  describe('with the linear engine of V8', () => {
    let before: Expression;
    beforeAll(() => {
      before = createExpression('^/p/', { use: 'test' });
      boundRegexps();
    });

    test('is not one that was made without that engine', () => {
      const expression = createExpression('^/p/', { use: 'test' });
      expect(expression).not.toBe(before);
      expect(createExpression('^/p/', { use: 'test' })).toBe(expression);
    });

    test('means what it means in JavaScript', () => {
      const { wrong, share } = compare();
      expect(wrong).toEqual([]);
      expect(share).toBeLessThan(0.3);
    });

    test.each([
      ['(a+)+$', ''],
      ['(a+)+$', 'i'],
      ['(a+)+$', 'u'],
      ['(?:é|a+)+$', 'u'],
      ['(a|aa)+$', 'i'],
      ['(.*a){60}x$', 'i'],
      ['(?:a?){500}a{500}$', ''],
      [`(?:${'a|'.repeat(900)}a)+$`, ''],
      ['[^]*'.repeat(400), 'i'],
    ])('takes time that grows with the text alone: %s, flags %s', { timeout: 120_000 }, (source, flags) => {
      const expression = createExpression(source, { flags, use: 'test' });
      const text = `http://a.example/${'a'.repeat(2_000)}!`;
      const from = process.cpuUsage();
      for (let turn = 0; turn < 20; turn++) expression.test(text);
      const { user } = process.cpuUsage(from);
      expect(user / 1_000).toBeLessThan(1_500);
    });

    test('is asked for with its flags: V8 alone would try 2^24 ways', () => {
      const expression = createExpression('(a+)+$', { flags: 'i', use: 'test' });
      const from = process.cpuUsage();
      expect(expression.test(`${'a'.repeat(24)}!`)).toBe(false);
      expect(process.cpuUsage(from).user / 1_000).toBeLessThan(500);
    });

    test.each([
      ['^(?!.*logout)', '', 'a lookahead'],
      ['a(?=b)', 'i', 'a lookahead'],
      ['(?<=a)b', '', 'a lookbehind'],
      ['(?<!a)b', 'i', 'a lookbehind'],
      ['(a)\\1', '', 'a backreference'],
      ['(?<n>a)\\k<n>', '', 'a backreference'],
      ['(?i:a)', '', 'flags inside of a group'],
      ['(?:a{100}){100}', '', '10101 steps'],
      ['a{1500}', '', 'counts above 1000'],
      ['(?:a{50}){39}', 'i', 'counts above 1000'],
      ['a'.repeat(2_001), '', '2001 characters'],
      ['a', 'v', 'flag v'],
    ])('is refused where it cannot be run: %s, flags %s', (source, flags, what) => {
      const trouble = expressionTrouble(source, { flags, use: 'test' });
      expect(trouble).toContain(what);
      expect(trouble).toContain('write it without');
      expect(trouble).toContain(source.slice(0, 50));
    });

    test('that JavaScript does not accept is refused with its reason', () => {
      expect(expressionTrouble('(', { use: 'test' })).toBe(
        'not a valid regular expression (unterminated group)',
      );
    });
  });

  test('is made once, however often a job is read', () => {
    const list = { use: 'test', flags: 'i' } as const;
    expect(createExpression('(a|b)+c', list)).toBe(createExpression('(a|b)+c', list));
    expect(createExpression('(a|b)+c', list)).not.toBe(createExpression('(a|b)+c', { use: 'test' }));
  });
});
