/** Something that can be seen; spaces, marks and control characters alone cannot. */
const visible = /[\p{L}\p{N}\p{P}\p{S}]/u;

/** A name that others chose. One without anything to see is written out, so that it can be clicked. */
export function Name({ of }: { of: string }) {
  return <bdi>{visible.test(of) ? of : JSON.stringify(of).replaceAll(/[^\x20-\x7e]/g, escaped)}</bdi>;
}

const escaped = (character: string): string => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
