/** The country whose pages are written in each language, where its domain is not the code of the language. */
const countries: Record<string, string> = {
  ar: 'eg',
  be: 'by',
  bs: 'ba',
  ca: 'es',
  cs: 'cz',
  da: 'dk',
  el: 'gr',
  en: 'uk',
  et: 'ee',
  eu: 'es',
  fa: 'ir',
  ga: 'ie',
  gl: 'es',
  he: 'il',
  iw: 'il',
  ja: 'jp',
  ka: 'ge',
  kk: 'kz',
  ko: 'kr',
  nb: 'no',
  nn: 'no',
  sl: 'si',
  sq: 'al',
  sr: 'rs',
  sv: 'se',
  uk: 'ua',
  ur: 'pk',
  vi: 'vn',
  zh: 'cn',
};

/**
 * The top-level domain whose usual encodings fit a page: that of its language if it names one, otherwise its own. English
 * is what templates say by default, so there the page's own domain goes first.
 */
export function usualDomain(page: string, url = ''): string {
  const [, own = ''] = /^[a-z]+:\/\/[^/?#]*\.([a-z0-9-]{2,63})\.?(?::\d+)?(?:[/?#]|$)/i.exec(url) ?? [];
  const [, tag = ''] = /<html[^>]{0,500}\slang\s*=\s*["']?([a-z]{2}(?:[-_][a-z]{2,4})?)\b/i.exec(page) ?? [];
  const [language = '', region = ''] = tag.toLowerCase().split(/[-_]/);
  if (language === 'zh' && /^(tw|hk|mo|hant)$/.test(region)) return 'tw';
  const spoken = countries[language] ?? language;
  return (language === 'en' && isCountry(own)) || spoken === '' ? own.toLowerCase() : spoken;
}

/** Domains of two letters belong to countries; most of the others say nothing about a language. */
const isCountry = (domain: string): boolean => domain.length === 2;
