import { WebfarerError } from '@webfarer/protocol';
import type { Ask } from './context.ts';

/** Questions on a terminal. Escape or Ctrl-C ends the command and changes nothing. */
export function createPrompts(): Ask {
  return {
    async text({ message, placeholder, initial, check }) {
      const { text } = await clack();
      const answer = await text({
        message,
        ...(placeholder === undefined ? {} : { placeholder }),
        ...(initial === undefined ? {} : { initialValue: initial }),
        ...(check === undefined ? {} : { validate: (value) => check(value ?? '') }),
      });
      return await answered(answer);
    },
    async choose({ message, choices, initial }) {
      const { select } = await clack();
      const options = choices.map(({ value, label, hint }) => ({
        value: value as string,
        label,
        ...(hint === undefined ? {} : { hint }),
      }));
      const answer = await select<string>({ message, initialValue: initial, options });
      return (await answered(answer)) as typeof initial;
    },
  };
}

/** Loaded when the first question is asked: every other command does without. */
function clack() {
  return import('@clack/prompts');
}

async function answered(answer: string | symbol): Promise<string> {
  const { isCancel } = await clack();
  if (!isCancel(answer)) return answer as string;
  throw new WebfarerError('interrupted', 'Nothing was written.');
}
