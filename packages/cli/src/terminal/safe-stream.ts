import { StringDecoder } from 'node:string_decoder';
import { Writable } from 'node:stream';
import { stripVTControlCharacters } from 'node:util';

/** Text of several lines from the web, safe to print: line ends and tabs stay, all other controls go. */
export function cleanText(text: string): string {
  return stripVTControlCharacters(text).replace(
    /[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]/g,
    '',
  );
}

/** For data in bulk that ends on a screen instead of in a file: what a terminal would obey is left out. */
export function createSafeStream(write: (text: string) => void): Writable {
  const decoder = new StringDecoder('utf8');
  // An escape sequence may be cut between two pieces: its beginning is a control character and goes anyway.
  return new Writable({
    write(chunk: Buffer, _encoding, done) {
      write(cleanText(decoder.write(chunk)));
      done();
    },
    final(done) {
      write(cleanText(decoder.end()));
      done();
    },
  });
}
