import {
  checkJob,
  checkPolicy,
  type JobPlace,
  type PolicyInput,
  readText,
  type ReadText,
  withField,
} from '@webfarer/protocol/job';
import type { Job } from '@webfarer/protocol';
import { useCallback, useEffect, useState } from 'react';

/** A text that two hands change: one writes it, one fills a form. */
export interface TextDocument<T> {
  text: string;
  read: ReadText<T>;
  places: readonly JobPlace[];
  /** What the text says; while it cannot be read, what it said last. */
  written: unknown;
  /** It is no YAML at the moment: only the text itself can be changed. */
  isBroken: boolean;
  change(text: string): void;
  /** Of one field; undefined removes it. */
  set(path: readonly string[], value: unknown): void;
}

export const readJob = (text: string): ReadText<Job> =>
  readText(text, (written) => {
    const checked = checkJob(written);
    return checked.ok ? { ok: true, value: checked.job } : checked;
  });

export const readPolicy = (text: string): ReadText<PolicyInput> =>
  readText(text, (written) => {
    const checked = checkPolicy(written);
    return checked.ok ? { ok: true, value: checked.policy } : checked;
  });

const isFields = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
/** Nothing, or comments alone. */
const isBlank = (text: string): boolean => /^(?:\s*(?:#.*)?\n)*\s*(?:#.*)?$/.test(text);

/** A longer text takes a moment to read, so that it is read when the typing rests. */
const longText = 20_000;
const restMs = 400;

export function useTextDocument<T>(
  first: () => string,
  read: (text: string) => ReadText<T>,
): TextDocument<T> {
  const [text, setText] = useState(first);
  const [state, setState] = useState(() => stateOf(text, read, {}));
  const isBehind = state.text !== text;
  const readNow = useCallback(
    (next: string) => setState(({ written }) => stateOf(next, read, written)),
    [read],
  );
  useEffect(() => {
    if (!isBehind) return undefined;
    const timer = setTimeout(() => readNow(text), restMs);
    return () => clearTimeout(timer);
  }, [isBehind, text, readNow]);
  const change = (next: string): void => {
    setText(next);
    if (next.length < longText) readNow(next);
  };
  return {
    ...state,
    text,
    places: state.read.ok ? [] : state.read.places,
    change,
    set(path, value) {
      if (state.isBroken || isBehind) return;
      // At once, however long it is: the field shows what the text says.
      const next = withField(text, path, value);
      setText(next);
      readNow(next);
    },
  };
}

function stateOf<T>(text: string, read: (text: string) => ReadText<T>, before: unknown) {
  const now = read(text);
  const isNothing = isBlank(text);
  const isReadable = isFields(now.written);
  return {
    text,
    read: now,
    written: isReadable ? now.written : isNothing ? {} : before,
    isBroken: !isReadable && !isNothing,
  };
}
