export const adminParts = ['people', 'tokens', 'teams', 'webhooks', 'audit'] as const;
export type AdminPart = (typeof adminParts)[number];

/** Which part is shown, and which changes of the audit log. */
export interface AdminSearch {
  show?: AdminPart;
  who?: string;
  action?: string;
  what?: string;
  /** Days of the reader: 2026-11-17. */
  from?: string;
  to?: string;
}

export function adminSearchIn(search: Record<string, unknown>): AdminSearch {
  const text = (name: string) => {
    const value = search[name];
    return (typeof value === 'string' && value !== '') || typeof value === 'number'
      ? { [name]: String(value) }
      : {};
  };
  const day = (name: string) => (/^\d{4}-\d{2}-\d{2}$/.test(String(search[name])) ? text(name) : {});
  const show = adminParts.find((each) => each === search['show']);
  return {
    ...(show ? { show } : {}),
    ...text('who'),
    ...text('action'),
    ...text('what'),
    ...day('from'),
    ...day('to'),
  };
}
