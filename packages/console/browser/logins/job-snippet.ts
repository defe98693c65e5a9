/** What a job says to read a site with an account, in YAML. */
export function jobSnippet({
  site,
  as,
  showing = 'a.log-out',
}: {
  site: string;
  as: string;
  showing?: string | undefined;
}): string {
  return [
    'login:',
    `  - site: ${scalar(site)}`,
    `    as: ${scalar(as)}`,
    `    check: { selector: ${JSON.stringify(showing)} }`,
  ].join('\n');
}

/** Bare where nobody could read it as something else: a number, a word such as null, a flow or an anchor. */
function scalar(text: string): string {
  return /^[a-z][a-z0-9]*([.-][a-z0-9]+)*$/.test(text) && !/^(null|true|false|yes|no|on|off|y|n)$/.test(text)
    ? text
    : JSON.stringify(text);
}
