import { Button } from '@mantine/core';
import { WebfarerError } from '@webfarer/protocol';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useText } from '../text/use-text.tsx';

/** A place with nothing in it, and what to do about that. */
export function EmptyState({ title, children }: { title: string; children: ReactNode }) {
  return (
    <div className="empty">
      <h2>{title}</h2>
      {children}
    </div>
  );
}

export function Missing() {
  const text = useText();
  return (
    <EmptyState title={text.notFound}>
      <Link to="/">{text.backHome}</Link>
    </EmptyState>
  );
}

/** What went wrong, and what to do next. */
export function Problem({ error }: { error: unknown }) {
  const text = useText();
  const known = error instanceof WebfarerError ? error : undefined;
  return (
    <p className="problem" role="alert">
      {known ? `${known.message} ${known.next ?? ''}` : text.failedToLoad}
    </p>
  );
}

export function Failure({ error, again }: { error: unknown; again: () => void }) {
  const text = useText();
  return (
    <EmptyState title={text.failedToLoad}>
      <Problem error={error} />
      <Button variant="default" onClick={again}>
        {text.tryAgain}
      </Button>
    </EmptyState>
  );
}
