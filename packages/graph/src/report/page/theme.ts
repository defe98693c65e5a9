/** Colours by role, light and dark. Categories c0 to c7 can be told apart by most people with a colour blindness. */
const light = `--bg:#f6f5f1;--card:#fff;--ink:#1d2326;--soft:#566065;--line:#e2e0d9;--faint:#f0eee8;--link:#0b5c7a;
--done:#1f8a6b;--accent:#2f7fb5;--client:#8a55b0;--failed:#c8452f;--dead:#6e2417;--refused:#d39a2a;--queued:#9aa4a8;--leased:#3f7fc1;
--brand:#0f6e8c;--focus:#b07a00;--done-ink:#14694f;--client-ink:#6f3d94;--failed-ink:#a8331f;--refused-ink:#7d5200;
--c0:#2b7a9b;--c1:#d08a1f;--c2:#7f62b8;--c3:#c4533d;--c4:#4a8f4d;--c5:#b4578e;--c6:#5b7fae;--c7:#8b7a5e;--on:#fff;--shade:#0006`;
const dark = `--bg:#14181a;--card:#1c2225;--ink:#e8ebe9;--soft:#a3afb3;--line:#30393d;--faint:#242b2f;--link:#7cc4de;
--done:#3fae89;--accent:#5a9fd4;--client:#b487d8;--failed:#e8705a;--dead:#a04332;--refused:#dba945;--queued:#6c777c;--leased:#6ba5de;
--brand:#54b5d2;--focus:#ffd24a;--done-ink:#5cc9a3;--client-ink:#c9a3e6;--failed-ink:#f28b75;--refused-ink:#e6b85e;
--c0:#4a9fc0;--c1:#dba03f;--c2:#a088d6;--c3:#e07a63;--c4:#6bb46e;--c5:#d07fae;--c6:#86a6d0;--c7:#b3a384;--on:#0f1416;--shade:#0008`;

/** As the system is set, unless the reader chose otherwise; on paper always light. */
export const theme = `
:root{color-scheme:light;${light}}
@media screen and (prefers-color-scheme:dark){:root:not([data-theme=light]){color-scheme:dark;${dark}}}
@media screen{:root[data-theme=dark]{color-scheme:dark;${dark}}}
@media print{:root{--bg:#fff}}
`;
