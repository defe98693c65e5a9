import { z } from 'zod';
import { type ExtractField, extractTypes, type FieldSource, pageFacts } from './job.ts';
import { elementPathTrouble } from './selector.ts';
import { findText, urlPattern } from './values.ts';

/** Rules of a job, fields of a rule and patterns of a rule. */
const mostRules = 20;
const mostFields = 100;
const maxPathChars = 500;

const elementText = z
  .string()
  .max(maxPathChars)
  .superRefine((text, context) => {
    const trouble = elementPathTrouble(text);
    if (trouble !== undefined) context.addIssue({ code: 'custom', message: trouble });
  });

const nodePath = z
  .string()
  .max(maxPathChars)
  .regex(/^[^\s.]+(?:\.[^\s.]+)*$/, { error: 'expected a path such as Product.offers.price' });

const sources = {
  css: elementText.optional().describe('A CSS selector; with @name behind it that attribute, not the text'),
  jsonLd: nodePath
    .optional()
    .describe('A path in JSON-LD: Product.offers.price; a first step with a capital letter is a type'),
  microdata: nodePath.optional().describe('The same in microdata'),
  openGraph: z
    .string()
    .min(1)
    .max(maxPathChars)
    .optional()
    .describe('An Open Graph property; og: may be left out: title, product:price:amount'),
  regex: findText()
    .optional()
    .describe('A regular expression on the source of the page; its first group, or all of it'),
  page: z.enum(pageFacts).optional().describe('What the page says about itself'),
};
const sourceNames = Object.keys(sources) as (keyof typeof sources)[];

const plainValue = z.union([z.string(), z.number(), z.boolean()], {
  error: 'expected a text, a number, true or false',
});

const fieldObject = z
  .strictObject({
    ...sources,
    type: z.enum(extractTypes).prefault('text').describe('What the value is converted to'),
    list: z.boolean().prefault(false).describe('All values as a list, not only the first'),
    required: z
      .boolean()
      .prefault(false)
      .describe('A page without it is failed(item-invalid); otherwise the field is left out'),
    default: plainValue.optional().describe('The value where the page has none'),
  })
  .refine((field) => sourceNames.filter((name) => field[name] !== undefined).length === 1, {
    error: `a field has exactly one of ${sourceNames.join(', ')}`,
  })
  .refine((field) => field.type !== 'html' || (field.css !== undefined && !/@[\w:.-]+$/.test(field.css)), {
    error: 'type html needs css with a selector and no attribute',
    path: ['type'],
  })
  .refine((field) => !field.required || field.default === undefined, {
    error: 'a required field has no default',
    path: ['default'],
  })
  .refine((field) => field.default === undefined || fitsType(field.default, field.type), {
    error: 'the default must be of the type of the field',
    path: ['default'],
  });

const field = z.union([elementText, fieldObject], {
  error: 'a field is a CSS selector, or { css: …, type: … } and the like',
});

const fieldName = z.string().regex(/^(?!__proto__$)[A-Za-z_][\w-]{0,63}$/, {
  error: 'a field has a name of up to 64 letters, digits, underscores and hyphens that begins with a letter',
});

const rule = z.strictObject({
  pages: z
    .union([urlPattern, z.array(urlPattern).min(1).max(mostFields)], {
      error: "expected a glob such as '/p/*', { regex: '…' }, or a list of these",
    })
    .optional()
    .describe('The pages this rule is for; without it every HTML page'),
  each: elementText
    .refine((text) => !/@[\w:.-]+$/.test(text), { error: 'each is a selector without an attribute' })
    .optional()
    .describe('A CSS selector; each element that it finds is an item, and css fields are looked up in it'),
  fields: z
    .record(fieldName, field)
    .refine((all) => Object.keys(all).length > 0, { error: 'at least one field is needed' })
    .refine((all) => Object.keys(all).length <= mostFields, { error: `at most ${mostFields} fields` })
    .describe('The fields of the item, by name; url is the URL of the page unless you define it'),
});

export const extractRules = z.array(rule).max(mostRules);

const keyField = z.string().min(1).max(200);

export const itemKey = z
  .union([keyField, z.array(keyField).max(10)], {
    error: 'itemKey is the name of a field, or a list of up to 10',
  })
  .prefault([])
  .describe(
    'Fields that say which item is which, such as sku, for a recrawl to tell changed items from new and gone ones',
  );
type CheckedRule = z.output<typeof rule>;

function fitsType(value: string | number | boolean, type: ExtractField['type']): boolean {
  if (type === 'number') return typeof value === 'number';
  if (type === 'integer') return Number.isInteger(value);
  if (type === 'boolean') return typeof value === 'boolean';
  return typeof value === 'string';
}

/** The rules as workers read them. */
export function toExtract({ pages, each, fields }: CheckedRule) {
  return {
    ...(pages === undefined ? {} : { pages: [pages].flat() }),
    ...(each === undefined ? {} : { each }),
    fields: Object.entries(fields).map(([name, written]) => toField(name, written)),
  };
}

function toField(name: string, written: CheckedRule['fields'][string]): ExtractField {
  if (typeof written === 'string')
    return { name, from: { css: written }, type: 'text', list: false, required: false };
  const { type, list, required, default: value, ...from } = written;
  const source = Object.fromEntries(Object.entries(from).filter(([, path]) => path !== undefined));
  const usual = value === undefined ? {} : { default: value };
  return { name, from: source as FieldSource, type, list, required, ...usual };
}
