import { mask } from '@webfarer/protocol/url';
import type { ReadyStep } from '../browser/steps/step.ts';

/** What was typed on a page and must not be recorded. */
export interface TypedSecrets {
  any: boolean;
  /** Whether a text has one in it, as it is or as browsers send it. */
  isIn(text: string): boolean;
  /** The text with each of them masked. */
  without(text: string): string;
}

export function typedSecrets(steps: readonly ReadyStep[]): TypedSecrets {
  const texts = steps.flatMap(({ action }) => (action.kind === 'type' && action.secret ? [action.text] : []));
  const forms = [...new Set(texts.flatMap(formsOf))].toSorted((a, b) => b.length - a.length);
  return {
    any: forms.length > 0,
    isIn: (text) => forms.some((form) => text.includes(form)),
    without: (text) => forms.reduce((all, form) => all.replaceAll(form, mask), text),
  };
}

/** As typed, in a URL, in a form, in JSON and in HTML. */
function formsOf(text: string): string[] {
  const inUrl = encodeURIComponent(text);
  const inForm = new URLSearchParams({ q: text }).toString().slice(2);
  const inJson = JSON.stringify(text).slice(1, -1);
  const inHtml = text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
  return [text, inUrl, inForm, inJson, inHtml, inHtml.replaceAll('"', '&quot;')];
}
