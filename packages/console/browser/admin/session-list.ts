import type { ApiSession } from '@webfarer/protocol/api';

/** What a person is called: by the name that the provider gives, else by what is known of them. */
export function personOf({ name, email, user }: Pick<ApiSession, 'name' | 'email' | 'user'>): string {
  return name || email || user;
}

/** The sessions of a person stand together, the latest first. The coordinator lists them by ids, which say nothing. */
export function byPerson(sessions: readonly ApiSession[]): ApiSession[] {
  return sessions.toSorted(
    (a, b) =>
      personOf(a).localeCompare(personOf(b)) || a.user.localeCompare(b.user) || b.createdAtMs - a.createdAtMs,
  );
}

/** Two people may have one name. */
export function peopleIn(sessions: readonly ApiSession[]): number {
  return new Set(sessions.map(({ user }) => user)).size;
}
