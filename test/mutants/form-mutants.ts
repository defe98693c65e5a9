import type { Mutant } from './mutant.ts';

const forms = 'packages/worker/src/forms';
const finding = `${forms}/find-forms.test.ts`;
const filling = `${forms}/fill-login.test.ts`;
const onPages = (field: string) => ({ proof: 'login-forms', args: ['--quick'], field });

/** Forms of pages, their fields, and what is sent with a login. */
export const formMutants: readonly Mutant[] = [
  {
    name: 'honeypot-by-words-only',
    why: 'A login would fill in a field that only programs see, and be taken for an attack.',
    file: `${forms}/field-role.ts`,
    from: "if (isConcealed || speaksOf('honeypot', words)) return 'honeypot';",
    to: "if (speaksOf('honeypot', words)) return 'honeypot';",
    killer: onPages('honeypots'),
  },
  {
    name: 'honeypot-bait-sent',
    why: 'The value that the page put into a trap would be sent back.',
    file: `${forms}/fill-login.ts`,
    from: "else if (role === 'honeypot') pairs.push([name, '']);",
    to: "else if (role === 'honeypot') pairs.push([name, value]);",
    killer: { test: filling, case: 'sends what a browser would send' },
  },
  {
    name: 'csrf-token-left-out',
    why: 'No site with a CSRF token would accept a login.',
    file: `${forms}/fill-login.ts`,
    from: "else if (isSent && type !== 'file')",
    to: "else if (isSent && type !== 'file' && role !== 'hidden')",
    killer: { test: filling, case: 'sends what a browser would send' },
  },
  {
    name: 'boundary-in-a-value',
    why: 'A server would read a multipart login cut off at a value.',
    file: `${forms}/fill-login.ts`,
    from: 'if (!all.includes(boundary)) return boundary;',
    to: 'return boundary;',
    killer: { test: filling, case: 'writes multipart bodies with a boundary that no value contains' },
  },
  {
    name: 'table-cuts-a-form-off',
    why: 'Old forums lay their login out in a table: it would have no fields.',
    file: `${forms}/read-forms.ts`,
    from: 'if (at === table) return latest;',
    to: 'if (at === table) return undefined;',
    killer: { test: finding, case: 'those that a table cut off' },
  },
  {
    name: 'first-text-is-the-user',
    why: 'The search field of a form around the whole page would get the user name.',
    file: `${forms}/field-role.ts`,
    from: 'return candidates.findLast((at) => at < password) ?? candidates[0];',
    to: 'return candidates[0];',
    killer: { test: finding, case: 'finds a user name that nothing names, before the password' },
  },
  {
    name: 'kinds-by-bias',
    why: 'All forms would be of one kind.',
    file: `${forms}/form-kind.ts`,
    from: 'sum += weights[kind][fact] ?? 0;',
    to: "if (fact === 'any') sum += weights[kind][fact] ?? 0;",
    killer: onPages('f1'),
  },
  {
    name: 'same-selector-same-field',
    why: 'A browser would fill in the first of two forms where the second was meant.',
    file: `${forms}/places.ts`,
    from: 'nth: Math.max(0, all.get(selector)?.indexOf(element) ?? 0),',
    to: 'nth: 0,',
    killer: { test: finding, case: 'also where ids and names occur twice' },
  },
];
