// watches: packages/worker/src/forms, packages/worker/src/tree, test/forms
// misses: log-in forms that are not found, and honeypots that are filled
import { createHash } from 'node:crypto';
import { fillLogin } from '../../packages/worker/src/forms/fill-login.ts';
import { bestLogin, findForms } from '../../packages/worker/src/forms/find-forms.ts';
import { kindOf } from '../../packages/worker/src/forms/form-kind.ts';
import { weights } from '../../packages/worker/src/forms/weights.ts';
import { type AnnotatedPage, hasCorpus, readPages } from '../forms/corpus.ts';
import { traps } from '../forms/honeypots.ts';
import { type Counts, f1, judge, precision, recall, type Verdict } from '../forms/judge.ts';
import { type Example, examplesOf, train } from '../forms/model.ts';
import type { ProofOptions, ProofResult } from '../prove.ts';

const wanted = { f1: 0.96, password: 0.99, user: 0.9, captcha: 0.8 };
/** A judge that does not tell forms apart would let wrong ones pass as well. */
const controlGap = 0.2;
const folds = 5;
const mostMistakes = 40;

/**
 * Login forms of real pages and their fields are found as people annotated them, on sites that were not looked at when
 * the rules and weights were made. On made pages, honeypots stay empty.
 */
export async function prove({ quick }: ProofOptions): Promise<ProofResult> {
  const corpora = process.env.WEBFARER_CORPORA;
  if (corpora === undefined || !hasCorpus(corpora))
    return { ok: false, result: { skipped: 'WEBFARER_CORPORA names no folder with login-forms' } };
  const pages = readPages(corpora, 'judged-on');
  const all = new Map(pages.map((page) => [page, formsOf(page)]));
  const found = (page: AnnotatedPage) => all.get(page) ?? [];
  const verdict = judge(pages, found);
  const fields = fieldScores(verdict);
  const turned = judge(pages, (page) => turnedRound(found(page)));
  const byPassword = judge(pages, (page) => ruledByPassword(found(page)));
  const honeypots = fillTraps();
  const written = quick ? undefined : examplesOf(readPages(corpora, 'written-on'));
  const weightsReproduced = written && JSON.stringify(train(written)) === JSON.stringify(weights);
  const ok =
    f1(verdict.logins) >= wanted.f1 &&
    fields.password.f1 >= wanted.password &&
    fields.user.f1 >= wanted.user &&
    fields.captcha.recall >= wanted.captcha &&
    honeypots.filled === 0 &&
    honeypots.controlFilled === honeypots.pages &&
    f1(turned.logins) <= f1(verdict.logins) - controlGap &&
    weightsReproduced !== false;
  return {
    ok,
    result: {
      ...scores(verdict.logins),
      fields,
      kinds: round(verdict.kinds.right / verdict.kinds.all),
      honeypots,
      control: { turnedF1: f1(turned.logins), byPasswordF1: f1(byPassword.logins) },
      ...(written && { crossValidated: crossValidate(written), weightsReproduced }),
      mistakes: verdict.mistakes
        .slice(0, mostMistakes)
        .map(({ what, page, form }) => `${page} ${form}: ${what}`),
      sizes: { pages: pages.length, forms: verdict.kinds.all, quick },
    },
  };
}

/** Fields outside of forms are not in the annotations. */
const formsOf = ({ html, url }: AnnotatedPage) =>
  findForms(html, url).filter(({ isScripted }) => !isScripted);

type Found = ReturnType<typeof formsOf>;

/** A control that cannot be right: login forms are said to be none, and all others login forms. */
const turnedRound = (forms: Found): Found =>
  forms.map((form) => ({ ...form, kind: form.kind === 'login' ? 'other' : 'login' }));

/** What the simplest rule reaches: a form with one password is a login. */
const ruledByPassword = (forms: Found): Found =>
  forms.map((form) => {
    const passwords = form.fields.filter(({ type }) => type === 'password');
    return { ...form, kind: passwords.length === 1 ? 'login' : 'other' };
  });

function fieldScores({ password, user, captcha, remember }: Verdict) {
  return {
    password: scores(password),
    user: scores(user),
    captcha: scores(captcha),
    remember: scores(remember),
  };
}

function scores(counts: Counts) {
  return { f1: f1(counts), precision: precision(counts), recall: recall(counts) };
}

/** Fills in the login of pages with a trap each. The control fills in all that takes text. */
function fillTraps(): { pages: number; filled: number; controlFilled: number; unsent: number } {
  const who = { user: 'ada', password: 'secret' };
  let filled = 0;
  let controlFilled = 0;
  let unsent = 0;
  for (const { html, trap, user, password } of traps()) {
    const form = bestLogin(findForms(html, 'https://example.org/login'));
    if (!form) {
      unsent += 1;
      continue;
    }
    const sent = new URLSearchParams(fillLogin(form, who).body);
    if ((sent.get(trap) ?? '') !== '') filled += 1;
    if (sent.get(user) !== who.user || sent.get(password) !== who.password) unsent += 1;
    const fields = form.fields.map((field) =>
      field.role === 'honeypot' ? { ...field, role: 'user' as const } : field,
    );
    const naive = new URLSearchParams(fillLogin({ ...form, fields }, who).body);
    if ((naive.get(trap) ?? '') !== '') controlFilled += 1;
  }
  return { pages: traps().length, filled: filled + unsent, controlFilled, unsent };
}

/** Each fifth of the sites is judged by what the other four teach. */
function crossValidate(examples: readonly Example[]) {
  const foldOf = (site: string) => (createHash('sha256').update(`fold ${site}`).digest()[0] ?? 0) % folds;
  const counts: Counts = { right: 0, wrong: 0, missed: 0 };
  for (let fold = 0; fold < folds; fold++) {
    const taught = train(examples.filter(({ site }) => foldOf(site) !== fold));
    for (const { kind, facts } of examples.filter(({ site }) => foldOf(site) === fold)) {
      const said = kindOf(facts, taught).kind === 'login';
      if (said && kind === 'login') counts.right += 1;
      else if (said) counts.wrong += 1;
      else if (kind === 'login') counts.missed += 1;
    }
  }
  return scores(counts);
}

const round = (value: number): number => Number(value.toFixed(4));
