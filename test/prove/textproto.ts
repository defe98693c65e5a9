/** One robots.txt with what must come of it, as the robots.txt specification tests write it down. */
export interface RobotsSpec {
  robotstxt: string;
  expectations: { url: string; userAgent: string; allowed: boolean }[];
}

type Token = { text: string } | { word: string };

/** Reads the small part of the text format of protocol buffers that these files use. */
export function readRobotsSpecs(source: Buffer): RobotsSpec[] {
  const specs: RobotsSpec[] = [];
  let expectation: RobotsSpec['expectations'][number] | undefined;
  const tokens = tokenise(source.toString('latin1'));
  for (const [i, token] of tokens.entries()) {
    if (!('word' in token)) continue;
    const value = tokens[i + 1];
    const text = value !== undefined && 'text' in value ? utf8(value.text) : '';
    if (token.word === 'robotstxt') specs.push({ robotstxt: text, expectations: [] });
    else if (token.word === 'testurl') {
      expectation = { url: text, userAgent: '', allowed: true };
      specs.at(-1)?.expectations.push(expectation);
    } else if (token.word === 'useragent' && expectation) expectation.userAgent = text;
    else if (token.word === 'expected_outcome' && expectation) {
      if (value === undefined || !('word' in value)) throw new Error('an outcome is missing');
      if (value.word !== 'ALLOWED' && value.word !== 'DISALLOWED') throw new Error(`outcome ${value.word}?`);
      expectation.allowed = value.word === 'ALLOWED';
    }
  }
  return specs;
}

/** Words, and texts with their neighbours joined; punctuation carries nothing here. */
function tokenise(source: string): Token[] {
  const tokens: Token[] = [];
  let joining = false;
  for (const [match] of source.matchAll(/#[^\n]*|"(?:[^"\\\n]|\\.)*"|[A-Za-z_]+|[^\s]/g)) {
    const last = tokens.at(-1);
    if (match.startsWith('#')) continue;
    if (match.startsWith('"')) {
      const text = unescape(match.slice(1, -1));
      if (joining && last !== undefined && 'text' in last) last.text += text;
      else tokens.push({ text });
      joining = true;
      continue;
    }
    joining = false;
    if (/^[A-Za-z_]+$/.test(match)) tokens.push({ word: match });
  }
  return tokens;
}

const escapes: Record<string, string> = { n: '\n', r: '\r', t: '\t', '"': '"', "'": "'", '\\': '\\' };

function unescape(text: string): string {
  return text.replace(/\\(?:x([0-9a-fA-F]{1,2})|([0-7]{1,3})|(.))/g, (_, hex, octal, char: string) => {
    if (hex !== undefined) return String.fromCharCode(Number.parseInt(hex as string, 16));
    if (octal !== undefined) return String.fromCharCode(Number.parseInt(octal as string, 8));
    const plain = escapes[char];
    if (plain === undefined) throw new Error(`escape \\${char}?`);
    return plain;
  });
}

function utf8(bytes: string): string {
  // As a crawler would: undecodable bytes become U+FFFD, and the byte order mark stays for the parser.
  return new TextDecoder('utf-8', { ignoreBOM: true }).decode(Buffer.from(bytes, 'latin1'));
}
