import type { FieldRole, FormKind } from '../../packages/worker/src/forms/form.ts';
import type { AnnotatedForm, AnnotatedPage } from './corpus.ts';

/** What is judged of a form that was found. */
export interface JudgedForm {
  kind: FormKind;
  fields: readonly { name: string; role: FieldRole }[];
}

export interface Counts {
  right: number;
  wrong: number;
  missed: number;
}

export interface Verdict {
  logins: Counts;
  /** The field that would be filled with the password of annotated login forms; the same for the other three. */
  password: Counts;
  user: Counts;
  captcha: Counts;
  remember: Counts;
  kinds: { right: number; all: number };
  mistakes: Mistake[];
}

export interface Mistake {
  what: string;
  page: string;
  url: string;
  form: number;
}

const passwords = ['p1'];
const users = ['us', 'ue', 'e1'];

/** Compares what was found with what people wrote down. Forms and fields that they skipped do not count. */
export function judge(
  pages: readonly AnnotatedPage[],
  find: (page: AnnotatedPage) => readonly JudgedForm[],
): Verdict {
  const none = (): Counts => ({ right: 0, wrong: 0, missed: 0 });
  const verdict: Verdict = {
    logins: none(),
    password: none(),
    user: none(),
    captcha: none(),
    remember: none(),
    kinds: { right: 0, all: 0 },
    mistakes: [],
  };
  for (const page of pages) {
    const found = find(page);
    for (const [at, form] of aligned(page.forms, found)) {
      const note = (what: string) => verdict.mistakes.push({ what, page: page.id, url: page.url, form: at });
      const truth = page.forms[at] as AnnotatedForm;
      if (truth.kind === undefined) continue;
      verdict.kinds.all += 1;
      if (form?.kind === truth.kind) verdict.kinds.right += 1;
      const isLogin = truth.kind === 'login';
      const said = form?.kind === 'login';
      if (isLogin && said) verdict.logins.right += 1;
      if (isLogin && !said) verdict.logins.missed += 1;
      if (!isLogin && said) verdict.logins.wrong += 1;
      if (isLogin !== said) note(`${truth.kind} taken for ${form?.kind ?? 'no form'}`);
      if (!form) continue;
      const field = (name: string, counts: Counts, roles: FieldRole[], short: string[]) => {
        for (const problem of judgeFields(truth, form, { counts, roles, short })) note(`${name}: ${problem}`);
      };
      field('captcha', verdict.captcha, ['captcha'], ['ca']);
      if (!isLogin) continue;
      field('password', verdict.password, ['password'], passwords);
      field('user', verdict.user, ['user', 'mail'], users);
      field('remember', verdict.remember, ['remember'], ['rC']);
    }
  }
  return verdict;
}

function judgeFields(
  truth: AnnotatedForm,
  form: JudgedForm,
  { counts, roles, short }: { counts: Counts; roles: readonly FieldRole[]; short: readonly string[] },
): string[] {
  const taken = new Set(form.fields.filter(({ role }) => roles.includes(role)).map(({ name }) => name));
  const problems: string[] = [];
  for (const [name, said] of Object.entries(truth.fields)) {
    if (said === 'XX' || said === '--') continue;
    const isOne = short.includes(said);
    if (isOne && taken.has(name)) counts.right += 1;
    else if (isOne) counts.missed += 1;
    else if (taken.has(name)) counts.wrong += 1;
    if (isOne && !taken.has(name)) problems.push(`${name} is missed`);
    if (!isOne && taken.has(name)) problems.push(`${name} is ${said}`);
  }
  return problems;
}

/** The forms in the same order; where their number differs, each annotated one with the first left that has its fields. */
function* aligned(
  truths: readonly AnnotatedForm[],
  found: readonly JudgedForm[],
): Iterable<[number, JudgedForm | undefined]> {
  let next = 0;
  for (const [at, { fields }] of truths.entries()) {
    const names = Object.keys(fields);
    const fits = (form: JudgedForm) =>
      names.every((name) => form.fields.some((field) => field.name === name));
    const same = truths.length === found.length ? at : found.findIndex((form, i) => i >= next && fits(form));
    if (same >= 0) next = same + 1;
    yield [at, found[same]];
  }
}

export const precision = ({ right, wrong }: Counts): number => share(right, right + wrong);
export const recall = ({ right, missed }: Counts): number => share(right, right + missed);
export const f1 = ({ right, wrong, missed }: Counts): number => share(2 * right, 2 * right + wrong + missed);

function share(part: number, whole: number): number {
  return whole === 0 ? 0 : Number((part / whole).toFixed(4));
}
