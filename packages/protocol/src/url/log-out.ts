/** Words by which sites name the way out, with or without a mark between their halves. */
const words =
  'log[-_]?(?:out|off)|sign[-_]?(?:out|off)|log[-_]?me[-_]?out|(?:session|sessions)[/_-](?:destroy|delete|end)|abmelden|ausloggen|d[eé]connexion|cerrar[-_]?sesi[oó]n|uitloggen|logga[-_]?ut|wyloguj|odjava|saindo|sair';
// allow(expression): of the words above
const way = new RegExp(`(?:^|[/?&=;._-])(?:${words})(?:$|[/?&=;.#_-])`, 'i');

/** Whether a request for this URL would probably end the session of the account that sends it. */
export function isLogOut(url: string): boolean {
  const at = url.indexOf('/', url.indexOf('//') + 2);
  return at >= 0 && way.test(decoded(url.slice(at)));
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
