import { z } from 'zod';

/** One line that people read. Control and format characters could make it read as something else. */
export const ownerLine = (most: number) =>
  z
    .string()
    .min(1)
    .max(most)
    // Not as a pattern: tools that read the description of the API do not know such classes.
    .refine((text) => !/[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/u.test(text), {
      error: 'expected one line of printable text',
    });

/** How a person is reached; nothing else may become a link. */
const contact = z
  .string()
  .max(300)
  .regex(/^(mailto:[^\s@]+@[^\s@]+|https?:\/\/[^\s]+)$/, {
    error: 'expected mailto:crawler@example.org or https://example.org/crawler',
  });

/** The file that `--site-owners` names: what the public page for the owners of sites says. */
export const siteOwnersSchema = z.strictObject({
  name: ownerLine(200).describe('Who runs the crawler'),
  contact: contact.describe('Where owners of sites write to: mailto: or https://'),
  text: z.string().max(4_000).optional().describe('What you crawl for, in your own words; plain text'),
  userAgent: ownerLine(500)
    .optional()
    .describe(
      'The user agent of your jobs, if they do not use the default; {version} and {contact} are replaced',
    ),
  addresses: z
    .array(ownerLine(100))
    .max(100)
    .default([])
    .describe('The addresses or ranges that your workers crawl from'),
  directory: z
    .string()
    .max(300)
    .regex(/^https:\/\/[^\s]+$/, { error: 'expected an https:// URL' })
    .optional()
    .describe('The key directory, if your requests are signed (docs/identity.md)'),
  allowPrivate: z
    .array(z.string().min(1).max(200))
    .max(100)
    .default([])
    .describe('Private addresses (origin or CIDR range) whose owners may prove themselves'),
});
export type SiteOwnersSettings = z.output<typeof siteOwnersSchema>;
