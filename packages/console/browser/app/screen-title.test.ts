import { expect, it } from 'vitest';
import { titleOf } from './screen-title.ts';

it('names the screen before the product', () => {
  expect(titleOf('press.example \n URLs ', 'Webfarer')).toBe('press.example URLs · Webfarer');
});

it.each([undefined, null, '', ' \n'])('is the product where a screen has the heading %j', (heading) => {
  expect(titleOf(heading, 'Webfarer')).toBe('Webfarer');
});
