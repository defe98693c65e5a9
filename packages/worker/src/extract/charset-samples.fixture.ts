import { createMultibyteEncoder } from '@exodus/bytes/multi-byte.js';
import { createSinglebyteEncoder } from '@exodus/bytes/single-byte.js';

export interface CharsetSample {
  /** As the Encoding standard names it. */
  charset: string;
  /** What it is taken for where nothing names it: an encoding that reads the text alike. */
  guessed: string;
  text: string;
  bytes: Buffer;
}

const singleByte = /^(?:windows-|koi8|iso-8859)/;

/** One sentence for each encoding that a crawl meets, in a language that is written in it. */
const sentences: [charset: string, text: string][] = [
  ['windows-1251', 'Музей открыт каждый день, кроме понедельника, с десяти утра до шести вечера.'],
  ['koi8-r', 'Библиотека хранит старые книги, карты и письма, которые можно читать в зале.'],
  ['shift_jis', 'この博物館では、古い地図と手紙を毎日無料で見ることができます。ようこそ。'],
  ['euc-jp', '図書館は月曜日を除いて、毎日午前九時から開いています。お気軽にどうぞ。'],
  ['gb18030', '这座博物馆每天上午九点开放，欢迎大家来参观我们收藏的古老地图和书信。'],
  ['big5', '這座博物館每天上午九點開放，歡迎大家來參觀我們收藏的古老地圖和書信。'],
  ['euc-kr', '이 박물관은 매일 아침 아홉 시에 문을 열고 오래된 지도와 편지를 보여 줍니다.'],
  ['windows-1252', 'Le musée est fermé à Noël – l’entrée coûte 5 €, et les élèves sont invités.'],
  [
    'iso-8859-2',
    'Muzeum jest otwarte każdego dnia, a wstęp dla dzieci i młodzieży jest bezpłatny; zażółć gęślą jaźń.',
  ],
  [
    'windows-1250',
    'Muzeum jest otwarte każdego dnia, a wstęp dla dzieci i młodzieży jest bezpłatny; świąteczna wystawa w sali głównej.',
  ],
  ['windows-874', 'พิพิธภัณฑ์เปิดทุกวันตั้งแต่เวลาเก้าโมงเช้าและจัดแสดงแผนที่และจดหมายเก่าให้ประชาชนเข้าชมฟรี'],
  ['windows-1255', 'המוזיאון פתוח בכל יום מהשעה תשע בבוקר, והכניסה לילדים ולסטודנטים היא חינם.'],
  ['windows-1256', 'يفتح المتحف أبوابه كل يوم من الساعة التاسعة صباحا ويعرض خرائط ورسائل قديمة.'],
  [
    'windows-1254',
    'Müze her gün saat dokuzda açılır; çocuklar ve öğrenciler için giriş ücretsizdir, şimdi gelin.',
  ],
  ['utf-8', 'Das Museum öffnet täglich um neun – ようこそ, добро пожаловать, hoş geldiniz.'],
];

function encode(charset: string, text: string): Buffer {
  if (charset === 'utf-8') return Buffer.from(text);
  // The encoders refuse what the encoding lacks, so a sample cannot be half of itself.
  if (singleByte.test(charset)) return Buffer.from(createSinglebyteEncoder(charset)(text));
  return Buffer.from(createMultibyteEncoder(charset)(text));
}

const page = (head: string, text: string): string =>
  `<!doctype html><html><head>${head}<title>x</title></head><body><p>${text}</p></body></html>`;

/** A small page in each encoding; `declared` names it in a meta element, otherwise nothing does. */
export function charsetSamples(declared: boolean): CharsetSample[] {
  return sentences.map(([charset, sentence]) => {
    const text = page(declared ? `<meta charset="${charset}">` : '', sentence);
    const guessed = charset === 'koi8-r' ? 'koi8-u' : charset;
    return { charset, guessed, text, bytes: encode(charset, text) };
  });
}
