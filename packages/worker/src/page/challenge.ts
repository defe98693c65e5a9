import type { ResponseHead } from '../fetch/fetch.ts';

/** An answer that asks for proof of being human in place of the page. */
export interface Challenge {
  /** The service that asks, as far as it can be told. */
  by: string;
  /** What gave it away. */
  sign: string;
}

/** How much there is on a page for people. */
export interface PageShape {
  /** Characters of text. */
  visible: number;
  links: readonly unknown[];
}

/** Headers with which a service says so itself. */
const headerSigns: ReadonlyMap<string, { by: string; value: RegExp }> = new Map([
  ['cf-mitigated', { by: 'Cloudflare', value: /^challenge/i }],
  ['x-amzn-waf-action', { by: 'AWS WAF', value: /^(?:challenge|captcha)/i }],
  ['x-vercel-mitigated', { by: 'Vercel', value: /^challenge/i }],
]);

/**
 * What only the challenges of a service have. Their scripts for counting and scoring are on ordinary pages too, so none of
 * those is here.
 */
const bodySigns: readonly { by: string; sign: RegExp }[] = [
  { by: 'Cloudflare', sign: /\b_cf_chl_opt\b|id="challenge-form"|id="cf-challenge-running"/ },
  { by: 'DataDome', sign: /\/\/(?:geo|ct)\.captcha-delivery\.com\// },
  { by: 'HUMAN (PerimeterX)', sign: /id=["']px-captcha["']|\/\/captcha\.px-(?:cdn|cloud)\.net\// },
  {
    by: 'Akamai',
    sign: /sec-if-cpt-container|\/_sec\/cp_challenge\/|\/_sec\/verify\?provider=interstitial|[?&]bm-verify=/,
  },
  { by: 'Imperva', sign: /_Incapsula_Resource\?[^"'\s]*(?:CWUDNSAI|incident_id)=|Incapsula incident ID:/ },
  { by: 'AWS WAF', sign: /\bwindow\.gokuProps\b/ },
  { by: 'Kasada', sign: /\bwindow\.KPSDK\b[^]{0,400}\/ips\.js\?/ },
  { by: 'Anubis', sign: /id="anubis_challenge"/ },
  { by: 'SiteGround', sign: /\/\.well-known\/(?:sg)?captcha\// },
  { by: 'DDoS-Guard', sign: /\/\.well-known\/ddos-guard\/|\/\/check\.ddos-guard\.net\// },
  { by: 'Sucuri', sign: /\bsucuri_cloudproxy_js\b/ },
  { by: 'Google', sign: /<form[^>]{0,200}id=["']captcha-form["'][^]{0,2000}unusual traffic/ },
];

/** What a challenge of any make says, in the languages it is mostly met in. */
const generalWords =
  /\b(?:verify|confirm|prove|make sure|making sure|check(?:ing)?)\b.{0,40}\byou(?: are|'re|’re)\b.{0,20}\b(?:human|not a (?:ro)?bot)\b|\bare you (?:a )?(?:human|robot)\b|\bhuman verification\b|\bbot verification\b|\bunusual traffic\b|\bchecking your browser\b|\bsecurity check\b|\bpardon our interruption\b|\bcomplete the (?:captcha|security check)\b|\bkein roboter\b|sicherheitsüberprüfung|\bpas un robot\b|vérification de sécurité|\bno (?:eres|soy) un robot\b|\bnon sei un robot\b|\bnão (?:é|sou) um robô\b|\bgeen robot\b|не робот|проверка браузера|人机验证|安全验证|ロボットではありません|로봇이 아닙니다/iu;
const widgets =
  /\bg-recaptcha\b|\/recaptcha\/(?:api|enterprise)\.js|\bh-captcha\b|hcaptcha\.com\/|\bcf-turnstile\b|challenges\.cloudflare\.com\/|geetest|arkoselabs|funcaptcha|\bcaptcha[\w-]*\.(?:php|jpg|png|gif|js)|id=["']captcha/i;
/** Where a visitor has more to do than to prove that: it is a form, and the page is content. */
const asksForMore = /<input[^>]{0,300}\btype=["']?(?:password|email|tel|search|file)|<select\b/i;
const textInput = /<input\b(?![^>]{0,300}\btype=["']?(?!text\b)[a-z])[^>]{0,300}>/gi;
const textArea = /<textarea\b(?![^>]{0,300}(?:recaptcha|h-captcha|captcha)-?response)/i;

/** One of these is in every challenge that is known here: most other pages are done with after one look for them. */
const suspicious =
  /captcha|turnstile|_cf_chl|challenge|_sec\/|bm-verify|incapsula|goku|kpsdk|ddos-guard|sucuri|geetest|arkose/i;

/** Of a body, so much is looked at. */
const maxChars = 65_536;
/** A page with more than this on it is content, whatever else it has. */
const most = { visible: 1_200, links: 12 };
/** With these a page is missing, moved or needs a password, and a server would not challenge. */
const plainErrors = new Set([400, 401, 404, 407, 408, 410, 451]);

/**
 * The challenge that an answer is. `source` is called only where challenges occur: for errors that forbid, and for pages
 * with next to nothing on them.
 */
export function challengeOf(
  head: ResponseHead,
  source: () => string,
  shape?: PageShape,
): Challenge | undefined {
  const told = challengeByHeader(head);
  if (told) return told;
  const { status } = head;
  const isPage = status >= 200 && status < 300;
  if (isPage ? shape && !isSparse(shape) : status < 400 || plainErrors.has(status)) return undefined;
  const html = source().slice(0, maxChars);
  if (!suspicious.test(html)) return undefined;
  const text = shownText(html);
  const seen = { visible: text.length, links: html.match(/<a\s/gi) ?? [] };
  if (isPage && !isSparse(seen)) return undefined;
  return ofService(html, isPage ? text : '') ?? (isSparse(seen) ? general(html, text) : undefined);
}

/** Whether an answer is a challenge; pass what was read of its body, for those that no header gives away. */
export function isChallenge(head: ResponseHead, document?: PageShape & { text: () => string }): boolean {
  return challengeOf(head, document ? document.text : () => '', document) !== undefined;
}

function challengeByHeader({ headers }: ResponseHead): Challenge | undefined {
  for (const [name, value] of headers) {
    const known = headerSigns.get(name.toLowerCase());
    if (known?.value.test(value)) return { by: known.by, sign: `${name.toLowerCase()}: ${value}` };
  }
  return undefined;
}

const isSparse = ({ visible, links }: PageShape): boolean =>
  visible <= most.visible && links.length <= most.links;

/** A page that writes about challenges shows the sign to its readers; a challenge does not. */
function ofService(html: string, shown: string): Challenge | undefined {
  for (const { by, sign } of bodySigns) {
    const found = sign.exec(html)?.[0];
    if (found !== undefined && !(shown !== '' && sign.test(shown) && by !== 'Imperva'))
      return { by, sign: found.slice(0, 60) };
  }
  return undefined;
}

function general(html: string, text: string): Challenge | undefined {
  const words = generalWords.exec(text)?.[0];
  if (words === undefined || !widgets.test(html)) return undefined;
  const fields = html.match(textInput)?.length ?? 0;
  if (fields > 1 || asksForMore.test(html) || textArea.test(html)) return undefined;
  return { by: 'the host', sign: words };
}

/** About what is shown, the title included: enough to count and to look for words in. */
function shownText(html: string): string {
  return html
    .replace(/<!--[^]*?(?:-->|$)/g, ' ')
    .replace(/<(script|style|template)\b[^]*?(?:<\/\1|$)/gi, ' ')
    .replace(/<[^>]*>?/g, ' ')
    .replace(/&(?:nbsp|#39|#x27|apos);/g, (at) => (at === '&nbsp;' ? ' ' : "'"))
    .replace(/\s+/g, ' ')
    .trim();
}
