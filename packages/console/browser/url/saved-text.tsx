import { WebfarerError } from '@webfarer/protocol';
import { CopyLine } from '../parts/copy-line.tsx';
import { Problem } from '../parts/notices.tsx';
import { captureText } from '../text/capture-text.ts';
import { useFormats, useText, useTextOf } from '../text/use-text.tsx';
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

interface WhyProps {
  hidden: Hidden;
  /** What reads it elsewhere; undefined: it is a file like any other. */
  command?: string | undefined;
}

/** Why there is nothing to see: where the capture is, and how to get it. */
export function Why({ hidden, command }: WhyProps) {
  const words = useTextOf(captureText);
  const { bytes } = useFormats();
  const { why } = hidden;
  const says = (): string => {
    switch (hidden.why) {
      case 'shared':
        return words.shared(hidden.file);
      case 'member':
        return words.member(hidden.member, hidden.file);
      case 'saver':
        return words.saver(hidden.saver);
      case 'large':
        return words.large(bytes(hidden.bytes));
      default:
        return words[hidden.why];
    }
  };
  const isElsewhere = why === 'shared' || why === 'member' || why === 'large';
  return (
    <>
      <p className="soft elsewhere">
        <bdi>{says()}</bdi>
      </p>
      {isElsewhere && command !== undefined ? (
        <>
          <p className="soft">{words.get[why]}</p>
          <CopyLine text={command} />
          <p className="soft small">{words.folder}</p>
        </>
      ) : null}
    </>
  );
}

interface SavedProblemProps {
  error: unknown;
  saved: { file: string; member?: string };
  command?: string | undefined;
}

/** Where a capture is that could not be read, if that is known. */
export function SavedProblem({ error, saved: { file, member }, command }: SavedProblemProps) {
  const isElsewhere = error instanceof WebfarerError && error.code === 'not-found';
  return isElsewhere && member !== undefined ? (
    <Why hidden={{ why: 'member', member, file }} command={command} />
  ) : (
    <Problem error={error} />
  );
}
