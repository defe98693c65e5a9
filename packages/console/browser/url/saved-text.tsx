import { WebfarerError } from '@webfarer/protocol';
import { Problem } from '../parts/notices.tsx';
import { useFormats, useText } from '../text/use-text.tsx';
import type { Hidden, ShownText } from './read-saved.ts';

/** What was saved, as nothing but text. */
export function Plain({ text, isCut, className = '' }: ShownText & { className?: string }) {
  const { one: words } = useText().urls;
  const { count } = useFormats();
  if (text === undefined) return <p className="soft">{words.binary}</p>;
  if (text.trim() === '') return <p className="soft">{words.emptyText}</p>;
  return (
    <>
      <pre className={`code ${className}`} tabIndex={0} aria-label={words.preview}>
        {text}
      </pre>
      {isCut ? <p className="soft small">{words.cut(count(text.length))}</p> : null}
    </>
  );
}

/** Why there is nothing to see. */
export function Why({ hidden }: { hidden: Hidden }) {
  const { previewElsewhere: words } = useText().urls.one;
  const { bytes } = useFormats();
  const says =
    hidden.why === 'member'
      ? words.member(hidden.member)
      : hidden.why === 'saver'
        ? words.saver(hidden.saver)
        : hidden.why === 'large'
          ? words.large(bytes(hidden.bytes))
          : words[hidden.why];
  return <p className="soft">{says}</p>;
}

/** Where a capture is that could not be read, if that is known. */
export function SavedProblem({ error, member }: { error: unknown; member: string | undefined }) {
  const isElsewhere = error instanceof WebfarerError && error.code === 'not-found';
  return isElsewhere && member !== undefined ? (
    <Why hidden={{ why: 'member', member }} />
  ) : (
    <Problem error={error} />
  );
}
