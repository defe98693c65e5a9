/** An answer of a challenging service, as short as it can be and still be one. */
export interface MadeAnswer {
  name: string;
  status: number;
  headers: [string, string][];
  body: string;
}

const html: [string, string] = ['Content-Type', 'text/html; charset=utf-8'];
const made = (name: string, status: number, body: string, ...headers: [string, string][]): MadeAnswer => ({
  name,
  status,
  headers: [html, ...headers],
  body: `<!doctype html><html><head>${body}</body></html>`,
});

/** The words are our own; what the services' scripts are called by is as they serve it. */
export const challenges: readonly MadeAnswer[] = [
  made(
    'Cloudflare',
    403,
    '<title>Wait</title><body>',
    ['cf-mitigated', 'challenge'],
    ['Server', 'cloudflare'],
  ),
  made(
    'Cloudflare',
    503,
    `<title>Wait</title><body><script>(function(){window._cf_chl_opt={cvId:'3',cType:'managed'};
     var a=document.createElement('script');a.src='/cdn-cgi/challenge-platform/h/b/orchestrate/chl_page/v1';})()</script>`,
  ),
  made(
    'DataDome',
    403,
    `<title>shop.example</title><body><script>var dd={'rt':'c','cid':'AHrl'}</script>
     <script src="https://ct.captcha-delivery.com/c.js"></script>`,
    ['x-datadome', 'protected'],
  ),
  {
    name: 'DataDome',
    status: 403,
    headers: [['Content-Type', 'application/json']],
    body: '{"url":"https://geo.captcha-delivery.com/captcha/?cid=1"}',
  },
  made(
    'HUMAN (PerimeterX)',
    403,
    `<title>Access</title><body><p>Press and hold</p><div id="px-captcha"></div>
     <script src="//captcha.px-cdn.net/PXabc/captcha.js"></script>`,
  ),
  made(
    'Akamai',
    200,
    `<title>&nbsp;</title><body><div id="sec-if-cpt-container"></div>
     <script src="/_sec/cp_challenge/ak-challenge-4-1.htm"></script>`,
  ),
  made(
    'Akamai',
    200,
    `<meta http-equiv="refresh" content="5; URL='/?bm-verify=AAQ'"><body>
     <script>xhr.open("POST","/_sec/verify?provider=interstitial")</script>`,
  ),
  made(
    'Imperva',
    200,
    `<meta name="robots" content="noindex,nofollow"><body>
     <iframe id="main-iframe" src="/_Incapsula_Resource?SWUDNSAI=31&xinfo=9&CWUDNSAI=27&incident_id=1-2"></iframe>`,
  ),
  made('AWS WAF', 202, '<body>', ['x-amzn-waf-action', 'challenge']),
  made(
    'AWS WAF',
    405,
    `<title>Human Verification</title><body><script>window.gokuProps = {"key":"AQ"};</script>
     <script src="https://x.token.awswaf.com/x/captcha.js"></script>`,
  ),
  made(
    'Kasada',
    429,
    '<body><script>window.KPSDK={};KPSDK.now=Date.now</script><script src="/149e/2d20/ips.js?x=1"></script>',
  ),
  made('Vercel', 429, '<title>Checkpoint</title><body>', ['x-vercel-mitigated', 'challenge']),
  made(
    'Anubis',
    200,
    '<title>Wait</title><body><script id="anubis_challenge" type="application/json">{"challenge":"a"}</script>',
  ),
  made('SiteGround', 202, `<meta http-equiv="refresh" content="0;/.well-known/sgcaptcha/?r=%2F"><body>`),
  made(
    'DDoS-Guard',
    403,
    '<title>Check</title><body><script src="/.well-known/ddos-guard/js-challenge/index.js"></script>',
  ),
  made('Sucuri', 200, "<body><script>sucuri_cloudproxy_js='';S='cz0i'</script>"),
  made(
    'the host',
    200,
    `<title>Security check</title><body><h1>Please verify that you are human</h1>
     <form method="post"><div class="h-captcha" data-sitekey="k"></div><button>Continue</button></form>`,
  ),
  made(
    'the host',
    403,
    `<title>Stop</title><body><p>Are you a robot?</p><form method="post">
     <div class="g-recaptcha"></div><textarea name="g-recaptcha-response"></textarea></form>
     <script src="https://www.google.com/recaptcha/api.js"></script>`,
  ),
  made(
    'the host',
    429,
    `<title>Sicherheit</title><body><p>Bitte bestätigen Sie, dass Sie kein Roboter sind.</p>
     <img src="/captcha.php"><form><input name="code"><input type="submit"></form>`,
  ),
];

const prose = 'The quick brown fox jumps over the lazy dog. '.repeat(40);

/** Ordinary pages that have something of a challenge on them. */
export const ordinary: readonly MadeAnswer[] = [
  made(
    'a contact form with reCAPTCHA',
    200,
    `<title>Contact</title><body><h1>Contact us</h1><form method="post">
     <input type="email" name="mail"><textarea name="message"></textarea><div class="g-recaptcha"></div>
     <p>Please confirm that you are not a robot.</p></form><script src="https://www.google.com/recaptcha/api.js"></script>`,
  ),
  made(
    'a login with Turnstile',
    200,
    `<title>Log in</title><body><form method="post"><input name="user">
     <input type="password" name="p"><div class="cf-turnstile"></div><p>Verify you are human</p></form>`,
  ),
  made(
    'an article about challenges',
    200,
    `<title>Checking your browser</title><body><p>${prose}</p>
     <pre>window._cf_chl_opt = {}</pre><div class="g-recaptcha"></div>`,
  ),
  made(
    'a short note that quotes a script',
    200,
    '<title>Note</title><body><code>window.gokuProps = {}</code> has the key.',
  ),
  made(
    'a page behind Cloudflare that is scored',
    200,
    `<title>Shop</title><body><p>${prose}</p>
     <script>(function(){window.__CF$cv$params={r:'8',t:'MTc='};a.src='/cdn-cgi/challenge-platform/scripts/jsd/main.js'})()</script>`,
  ),
  made(
    'a small page behind Cloudflare that is scored',
    200,
    `<title>Soon</title><body><p>Opening in May.</p>
     <script>a.src='/cdn-cgi/challenge-platform/scripts/jsd/main.js'</script>`,
  ),
  made(
    'a small page that DataDome counts',
    200,
    `<title>Soon</title><body><p>Opening in May.</p>
     <script src="https://js.datadome.co/tags.js"></script>`,
    ['x-datadome', 'protected'],
  ),
  made(
    'a small page that Imperva counts',
    200,
    `<title>Soon</title><body><p>Opening in May.</p>
     <script src="/_Incapsula_Resource?SWJIYLWA=719d34d31c8e3a6e6fffd425f7e032f3"></script>`,
    ['x-iinfo', '1-2-3'],
  ),
  made(
    'a page not found, with a captcha in its footer',
    404,
    `<title>Not found</title><body><p>Security check</p>
     <form><div class="g-recaptcha"></div></form>`,
  ),
  made(
    'a plain refusal',
    403,
    '<title>Access Denied</title><body><h1>Access Denied</h1><p>Reference #18.1</p>',
    ['Server', 'AkamaiGHost'],
  ),
  made('an overloaded server', 503, '<title>Unavailable</title><body>Try again later.', ['Retry-After', '5']),
  made(
    'a demonstration of a CAPTCHA',
    200,
    `<title>Demo</title><body><p>${prose}</p><p>Verify you are human</p>
     <div class="h-captcha"></div>`,
  ),
];
