import { isTyped, wordsOf } from './field-role.ts';
import { type FormKind, formKinds } from './form.ts';
import type { PageForm } from './read-forms.ts';
import { plainText, speaksOf, type Topic, topics } from './words.ts';

/** Weights of facts for each kind. What is not listed weighs nothing. */
export type Weights = Readonly<Record<FormKind, Readonly<Record<string, number>>>>;

/** What speaks for and against the kinds of a form. */
export function factsOf(form: PageForm, page: { url: string; title: string }): Set<string> {
  const facts = new Set<string>(['any']);
  const { controls, element } = form;
  const shown = controls.filter(({ type }) => type !== 'hidden');
  const count = (name: string, number: number) => facts.add(`${name}:${Math.min(number, 3)}`);
  const ofType = (...types: string[]) => shown.filter(({ type }) => types.includes(type)).length;
  const passwords = ofType('password');
  const texts = shown.filter(isTyped);
  count('passwords', passwords);
  count('texts', texts.length);
  facts.add(`shape:${Math.min(passwords, 2)}/${Math.min(texts.length, 3)}`);
  if (shown.length === 0) facts.add('empty');
  // Some pages show the password, or have a script that hides it.
  if (texts.some(({ name }) => speaksOf('password', plainText(name)))) facts.add('open-password');
  if (passwords === 0 && texts.length === 1 && texts.some((text) => speaksOf('mail', wordsOf(text))))
    facts.add('only-mail');
  count('checkboxes', ofType('checkbox'));
  count('radios', ofType('radio'));
  count('selects', ofType('select'));
  count('textareas', ofType('textarea'));
  count('submits', ofType('submit', 'image'));
  if (ofType('email') > 0) facts.add('email');
  if (ofType('search') > 0) facts.add('searchbox');
  if (shown.length > 8) facts.add('long');
  const {
    action = '',
    method = '',
    id = '',
    name = '',
    class: classes = '',
    role = '',
  } = element?.attribs ?? {};
  facts.add(/post/i.test(method) ? 'post' : 'get');
  const buttons = controls.filter(({ type }) => type === 'submit' || type === 'image' || type === 'button');
  speak('action', action);
  speak('form', `${id} ${name} ${classes} ${role}`);
  speak('button', buttons.map(({ value, label }) => `${value} ${label}`).join(' '));
  speak('button-name', buttons.map(wordsOf).join(' '));
  speak(
    'field',
    shown
      .filter((control) => !buttons.includes(control))
      .map(wordsOf)
      .join(' '),
  );
  speak('text', form.text);
  speak('before', form.before);
  speak('page', `${page.url.replace(/^[a-z]+:\/\/[^/]*/, '')}`);
  speak('title', page.title);
  return facts;

  function speak(place: string, text: string): void {
    const plain = plainText(text);
    for (const topic of topics) if (wanted(topic) && speaksOf(topic, plain)) facts.add(`${place}:${topic}`);
  }
}

const wanted = (topic: Topic): boolean => topic !== 'honeypot';

/** The likeliest kind, and how likely it is. */
export function kindOf(facts: ReadonlySet<string>, weights: Weights): { kind: FormKind; score: number } {
  const sums = formKinds.map((kind) => {
    let sum = 0;
    for (const fact of facts) sum += weights[kind][fact] ?? 0;
    return sum;
  });
  const top = Math.max(...sums);
  const total = sums.reduce((all, sum) => all + Math.exp(sum - top), 0);
  return { kind: formKinds[sums.indexOf(top)] ?? 'other', score: 1 / total };
}
