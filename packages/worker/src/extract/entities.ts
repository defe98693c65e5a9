import { Tokenizer, type TokenizerCallbacks } from 'htmlparser2';

const nothing = (): void => {};

/** Collects what the tokenizer makes of one text or one attribute value. */
// allow(state): scratch for one call that never waits
let source = '';
// allow(state): scratch for one call that never waits
let out = '';
const take = (start: number, end: number): void => {
  out += source.slice(start, end);
};
const put = (codePoint: number): void => {
  out += String.fromCodePoint(codePoint);
};
const callbacks: TokenizerCallbacks = {
  onattribdata: take,
  onattribentity: put,
  onattribend: nothing,
  onattribname: nothing,
  oncdata: nothing,
  onclosetag: nothing,
  oncomment: nothing,
  ondeclaration: nothing,
  onend: nothing,
  onopentagend: nothing,
  onopentagname: nothing,
  onprocessinginstruction: nothing,
  onselfclosingtag: nothing,
  ontext: take,
  ontextentity: put,
};
const tokenizer = new Tokenizer({ decodeEntities: true }, callbacks);

function run(text: string): string {
  source = text;
  out = '';
  tokenizer.reset();
  tokenizer.write(text);
  tokenizer.end();
  source = '';
  return out;
}

const otherReference = /&(?!amp;)/;

/** Character references in an attribute value, by the rules for attributes (`?a=1&copy=2` stays as it is). */
export function decodeAttribute(value: string): string {
  if (!value.includes('&')) return value;
  // Nearly all of them are this one.
  if (!otherReference.test(value)) return value.replaceAll('&amp;', '&');
  // Put into a tag, so that the tokenizer knows it for an attribute; its own quote must not end it.
  return run(`<a b="${value.replaceAll('"', '&#34;')}">`);
}

/** Character references in text. `<` must not be in it; the tokenizer that cut the text out made sure. */
export function decodeCharacters(text: string): string {
  return text.includes('&') ? run(text.replaceAll('<', '&lt;')) : text;
}
