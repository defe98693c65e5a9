/** A login page with a field that only programs see. */
export interface Trap {
  html: string;
  /** The names of its fields. */
  trap: string;
  user: string;
  password: string;
}

/** How sites hide a field from people. */
const hidings: { head?: string; wrap: (field: string) => string }[] = [
  { wrap: (field) => `<div style="display:none">${field}</div>` },
  { wrap: (field) => `<div style="display: none !important;"><p>${field}</p></div>` },
  { wrap: (field) => `<span style="visibility:hidden">${field}</span>` },
  { wrap: (field) => `<div style="position:absolute;left:-9999px" aria-hidden="true">${field}</div>` },
  { wrap: (field) => `<div style="text-indent:-10000em">${field}</div>` },
  { wrap: (field) => `<div style="opacity:0; height:0">${field}</div>` },
  { wrap: (field) => `<div hidden>${field}</div>` },
  {
    head: '<style>.hide-me { display:none }</style>',
    wrap: (field) => `<p class="row hide-me">${field}</p>`,
  },
  {
    head: '<style>a{color:red} #extra, .b{ visibility : hidden }</style>',
    wrap: (field) => `<p id="extra">${field}</p>`,
  },
  { wrap: (field) => `<label>If you are human, leave this field blank: ${field}</label>` },
  { wrap: (field) => `<label>Bitte nicht ausfüllen ${field}</label>` },
  { wrap: (field) => `<label>Ne pas remplir ce champ ${field}</label>` },
];

/** Names that a program is eager to fill in. */
const names = ['email', 'username', 'website', 'phone'];

export function traps(): Trap[] {
  return hidings.flatMap(({ head = '', wrap }) =>
    names.flatMap((trap) =>
      [true, false].map((isFirst) => {
        const bait = wrap(`<input type="text" name="${trap}" value="" tabindex="-1" autocomplete="off">`);
        const html = `<!doctype html><head>${head}</head><body><form method="post" action="/login">
          <input type="hidden" name="csrf" value="x1">${isFirst ? bait : ''}
          <label>Login <input name="acct_login"></label> <label>Password <input type="password" name="acct_pw"></label>
          ${isFirst ? '' : bait}<button>Log in</button></form></body>`;
        return { html, trap, user: 'acct_login', password: 'acct_pw' };
      }),
    ),
  );
}
