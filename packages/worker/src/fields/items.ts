import type { ExtractField, ExtractRule } from '@webfarer/protocol/job';
import { createExpression } from '@webfarer/protocol/url';
import { ItemProblem } from '../scrape/item-problem.ts';
import type { Page } from '../scrape/scraper.ts';
import type { TreeElement } from '../tree/tree.ts';
import { convert, type FieldValue, notOfType } from './convert.ts';
import type { Expressions, PageValues } from './page-values.ts';

/** Items that may be made of one page. */
const maxItems = 10_000;

/** What is made of a page that a rule is for. */
export type ItemRule = Pick<ExtractRule, 'each' | 'fields'>;

export function expressionsOf(rules: readonly ItemRule[]): Expressions {
  const sources = rules
    .flatMap(({ fields }) => fields)
    .flatMap(({ from }) => ('regex' in from ? [from.regex] : []));
  return new Map(sources.map((source) => [source, createExpression(source, { use: 'find' })]));
}

export function itemsOf(page: Page, rules: readonly ItemRule[], values: PageValues): object[] {
  return rules.flatMap(({ each, fields }) => {
    const places = each === undefined ? [undefined] : values.elements(each).slice(0, maxItems);
    return places.map((within, at) => {
      const where = each === undefined ? '' : ` (${each}, number ${at + 1})`;
      return itemOf(page, fields, { values, within, where });
    });
  });
}

interface Place {
  values: PageValues;
  within: TreeElement | undefined;
  /** Which of several items of the page this is, for errors. */
  where: string;
}

function itemOf(page: Page, fields: readonly ExtractField[], { values, within, where }: Place): object {
  const item: Record<string, FieldValue | FieldValue[]> = { url: page.url };
  const problems: string[] = [];
  for (const field of fields) {
    const { name, list, required } = field;
    delete item[name];
    const read = readField(field, values, within);
    if (list && (read.found.length > 0 || !required)) item[name] = read.found;
    else if (read.found[0] !== undefined) item[name] = read.found[0];
    else if (required) problems.push(`${name}: ${read.problem}`);
    if (field.default !== undefined && read.found.length === 0)
      item[name] = list ? [field.default] : field.default;
  }
  if (problems.length > 0) throw new ItemProblem(`${problems.join('; ')}${where}`);
  return item;
}

/** The values that are of the type of the field, and why there is none. */
function readField(
  { from, type, list }: ExtractField,
  values: PageValues,
  within: TreeElement | undefined,
): { found: FieldValue[]; problem: string } {
  const found: FieldValue[] = [];
  let problem = `missing (${Object.entries(from).flat().join(' ')})`;
  for (const text of values.read(from, { html: type === 'html', within })) {
    const value = convert(text, type, values.base);
    if (value !== undefined) found.push(value);
    else if (text.trim() !== '') problem = notOfType(text, type);
    if (found.length > 0 && !list) break;
  }
  return { found, problem };
}
