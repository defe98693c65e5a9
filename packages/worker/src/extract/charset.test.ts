import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { charsetSamples } from './charset-samples.fixture.ts';
import { charsetOf, decodeText } from './charset.ts';
import { runEncodingCases } from './encoding-cases.fixture.ts';

const latin1 = (text: string): Buffer => Buffer.from(text, 'latin1');
const read = (body: Buffer, label?: string): [string, string] => {
  const charset = charsetOf(body, { label });
  return [charset, decodeText(body, charset)];
};

describe('the charset', () => {
  it('comes from a byte order mark before anything else', () => {
    const marked = Buffer.concat([Buffer.from([0xef, 0xbb, 0xbf]), Buffer.from('é<meta charset=koi8-r>')]);
    expect(read(marked, 'windows-1251')).toEqual(['utf-8', 'é<meta charset=koi8-r>']);
    expect(read(Buffer.from('\ufeffhé', 'utf16le'), 'utf-8')).toEqual(['utf-16le', 'hé']);
    expect(read(Buffer.from('\ufeffhé', 'utf16le').swap16(), 'utf-8')).toEqual(['utf-16be', 'hé']);
  });

  it('comes from the header before the page', () => {
    expect(read(latin1('<meta charset=utf-8>\xcf\xf0'), 'windows-1251')).toEqual([
      'windows-1251',
      '<meta charset=utf-8>Пр',
    ]);
    expect(read(latin1('\xcf\xf0'), '"CP1251"')).toEqual(['windows-1251', 'Пр']);
  });

  it('comes from the page where the header says nothing known', () => {
    expect(read(latin1('<meta charset=koi8-r>\xd2'), 'x-unheard-of')[0]).toBe('koi8-r');
    const late = `<!doctype html><script>${'x'.repeat(5_000)}</script><meta http-equiv=Content-Type content="text/html; charset=iso-8859-2">\xb1`;
    expect(read(latin1(late))).toEqual(['iso-8859-2', late.replace('\xb1', 'ą')]);
  });

  it('is UTF-8 where the bytes are, even when the last character was cut', () => {
    expect(charsetOf(Buffer.from('plain'))).toBe('utf-8');
    const text = Buffer.from('naïve 日本');
    expect(read(text)).toEqual(['utf-8', 'naïve 日本']);
    for (const cut of [1, 2]) expect(charsetOf(text.subarray(0, text.length - cut))).toBe('utf-8');
    expect(charsetOf(Buffer.alloc(0))).toBe('utf-8');
  });

  it('is guessed where nothing else is known', () => {
    const russian =
      'Добро пожаловать на наш сайт. Здесь вы найдёте много полезного о музеях и выставках города.';
    const cp1251 = Buffer.from(
      russian.split('').map((c) => {
        const code = c.codePointAt(0) as number;
        if (code < 128) return code;
        return c === 'ё' ? 0xb8 : code - 0x350;
      }),
    );
    expect(read(cp1251)).toEqual(['windows-1251', russian]);
    const [name, text] = read(
      latin1('Der Preis betr\xe4gt 5 \x80 \x96 f\xfcr das Fr\xfchst\xfcck, nat\xfcrlich.'),
    );
    expect(name).toBe('windows-1252');
    expect(text).toBe('Der Preis beträgt 5 € – für das Frühstück, natürlich.');
  });

  it('of a Thai page is read with as little as a greeting to go by', () => {
    // สวัสดีครับ
    const thai = latin1('<p>\xca\xc7\xd1\xca\xb4\xd5\xa4\xc3\xd1\xba</p>');
    expect(read(thai)).toEqual(['windows-874', '<p>สวัสดีครับ</p>']);
  });

  it('of signs that stand alone is the western one', () => {
    const page = latin1('<a href=/next>All posts \xbb</a> <b>from \xa3 71</b>');
    expect(read(page)).toEqual(['windows-1252', '<a href=/next>All posts »</a> <b>from £ 71</b>']);
  });

  it('of a short text is what is usual in its language or its country', () => {
    const lithuanian = latin1('<p>Kiekvienas \xfemogus turi teis\xe6</p>');
    expect(charsetOf(lithuanian)).not.toBe('windows-1257');
    const inLithuanian = Buffer.concat([latin1('<html lang="lt-LT">'), lithuanian]);
    expect(read(inLithuanian)[1]).toContain('žmogus turi teisę');
    const url = 'https://biblioteka.lt/apie';
    expect(decodeText(lithuanian, charsetOf(lithuanian, { url }))).toContain('žmogus turi teisę');
  });

  it('of XML comes from its declaration', () => {
    const body = latin1('<?xml version="1.0" encoding="ISO-8859-1"?><a>\xe9</a>');
    expect(decodeText(body, charsetOf(body, { xml: true }))).toContain('<a>é</a>');
  });
});

describe('a page of one sentence', () => {
  it.each(charsetSamples(false))(
    'in $charset is recognised with nothing to go by',
    ({ bytes, guessed, text }) => {
      expect(read(bytes)).toEqual([guessed, text]);
    },
  );

  it.each(charsetSamples(true))(
    'in $charset is read as it says, or as the header says',
    ({ bytes, charset, text }) => {
      expect(read(bytes)).toEqual([charset, text]);
      expect(read(bytes, charset)).toEqual([charset, text]);
    },
  );
});

const corpora = process.env.WEBFARER_CORPORA;

it.skipIf(corpora === undefined)('agrees with html5lib on what a page declares', () => {
  const { cases, differences } = runEncodingCases(join(corpora as string, 'html5lib-tokenizer/encoding'));
  expect(differences).toEqual([]);
  expect(cases).toBeGreaterThan(80);
});

describe('the text', () => {
  it('has quotes and dashes of windows-1252, and big5', () => {
    expect(decodeText(latin1('\x92\x80\x9f'), 'windows-1252')).toBe('’€Ÿ');
    expect(decodeText(Buffer.from([0xa4, 0xa4, 0xa4, 0xe5]), 'big5')).toBe('中文');
    expect(decodeText(Buffer.from([0x83, 0x65, 0x83, 0x58]), 'shift_jis')).toBe('テス');
  });

  it('replaces what is malformed, and never throws', () => {
    expect(decodeText(Buffer.from([0x61, 0xff, 0x62]), 'utf-8')).toBe('a\ufffdb');
    expect(decodeText(latin1('x'), 'no-such-thing')).toBe('x');
    expect(typeof decodeText(latin1('<script>'), 'replacement')).toBe('string');
  });
});
