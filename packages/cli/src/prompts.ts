import { isCancel, select, text } from '@clack/prompts';
import { WebfarerError } from '@webfarer/protocol';
import type { Ask } from './context.ts';

/** Questions on a terminal. Escape or Ctrl-C ends the command and changes nothing. */
export function createPrompts(): Ask {
  return {
    async text({ message, placeholder, initial, check }) {
      const answer = await text({
        message,
        ...(placeholder === undefined ? {} : { placeholder }),
        ...(initial === undefined ? {} : { initialValue: initial }),
        ...(check === undefined ? {} : { validate: (value) => check(value ?? '') }),
      });
      return answered<string>(answer);
    },
    async choose({ message, choices, initial }) {
      const options = choices.map(({ value, label, hint }) => ({
        value: value as string,
        label,
        ...(hint === undefined ? {} : { hint }),
      }));
      const answer = await select<string>({ message, initialValue: initial, options });
      return answered<string>(answer) as typeof initial;
    },
  };
}

function answered<T>(answer: T | symbol): T {
  if (!isCancel(answer)) return answer as T;
  throw new WebfarerError('interrupted', 'Nothing was written.');
}
