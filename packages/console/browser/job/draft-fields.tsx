import { TextInput } from '@mantine/core';
import { useId, useState } from 'react';
import { isListOfLines, isPlain, listOf, plainValue, shownList, shownPlain } from './job-values.ts';

interface DraftProps {
  label: string;
  hint?: string;
  placeholder?: string;
  value: unknown;
  set: (value: unknown) => void;
  isOff: boolean;
  /** Said in place of a value that only the text can show. */
  inText: string;
}

const same = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b);

/** What was typed stays as it was typed for as long as it says what the text says. */
function useDraft(value: unknown, shown: (value: unknown) => string, read: (text: string) => unknown) {
  const [draft, setDraft] = useState(() => shown(value));
  return { text: same(read(draft), value) ? draft : shown(value), setDraft };
}

/** One text or number. */
export function PlainField({ label, hint, placeholder, value, set, isOff, inText }: DraftProps) {
  const { text, setDraft } = useDraft(value, shownPlain, plainValue);
  const isShown = isPlain(value);
  return (
    <TextInput
      label={label}
      description={hint}
      placeholder={isShown ? placeholder : inText}
      value={text}
      disabled={isOff || !isShown}
      autoComplete="off"
      spellCheck={false}
      onChange={({ currentTarget }) => {
        setDraft(currentTarget.value);
        set(plainValue(currentTarget.value));
      }}
    />
  );
}

/** A list with an entry on each line. */
export function ListField({
  label,
  hint,
  placeholder,
  value,
  set,
  isOff,
  inText,
  rows,
}: DraftProps & { rows: number }) {
  const { text, setDraft } = useDraft(value, shownList, listOf);
  const id = useId();
  const isShown = isListOfLines(value);
  return (
    <div className="area">
      <label htmlFor={id}>{label}</label>
      {hint === undefined ? null : (
        <p id={`${id}-hint`} className="soft">
          {hint}
        </p>
      )}
      <textarea
        id={id}
        aria-describedby={hint === undefined ? undefined : `${id}-hint`}
        rows={rows}
        placeholder={isShown ? placeholder : inText}
        value={isShown ? text : ''}
        disabled={isOff || !isShown}
        spellCheck={false}
        autoCapitalize="off"
        wrap="off"
        onChange={({ currentTarget }) => {
          setDraft(currentTarget.value);
          set(listOf(currentTarget.value));
        }}
      />
    </div>
  );
}
