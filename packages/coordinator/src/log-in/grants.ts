import type { LogInGrant } from '@webfarer/protocol/api';

/** What the issuer says of a user. */
export type Claims = Readonly<Record<string, unknown>> & { readonly sub: string };

/** What a user may do, by the first grant that fits; undefined: nothing. */
export function grantFor(
  claims: Claims,
  { grants, groupsClaim }: { grants: readonly LogInGrant[]; groupsClaim: string },
): Pick<LogInGrant, 'scope' | 'team'> | undefined {
  const groups = groupsIn(claims, groupsClaim);
  const email = verifiedEmail(claims);
  return grants.find(
    (grant) =>
      (grant.group === undefined || groups.includes(grant.group)) &&
      (grant.email === undefined || fitsEmail(grant.email, email)),
  );
}

export function groupsIn(claims: Claims, groupsClaim: string): string[] {
  const found = claimAt(claims, groupsClaim);
  return (Array.isArray(found) ? found : [found]).filter((one): one is string => typeof one === 'string');
}

/** Anybody can enter any address with some providers: without their word that it was checked it says nothing. */
export function verifiedEmail({ email, email_verified: verified }: Claims): string | undefined {
  return typeof email === 'string' && verified === true ? email.toLowerCase() : undefined;
}

function fitsEmail(pattern: string, email: string | undefined): boolean {
  if (email === undefined) return false;
  const wanted = pattern.toLowerCase();
  return wanted.startsWith('*@') ? email.slice(email.lastIndexOf('@')) === wanted.slice(1) : email === wanted;
}

/** By its name, else as a path of names: `realm_access.roles`. */
export function claimAt(claims: Readonly<Record<string, unknown>>, name: string): unknown {
  if (Object.hasOwn(claims, name)) return claims[name];
  let value: unknown = claims;
  for (const step of name.split('.')) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, step)) return undefined;
    value = (value as Record<string, unknown>)[step];
  }
  return value;
}
