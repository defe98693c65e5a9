import { Button, TextInput } from '@mantine/core';
import { useEffect, useState } from 'react';
import { useText } from '../text/use-text.tsx';
import { problemOf, type TextField, textFields, type UrlsSearch, valueOf } from '../api/url-search.ts';

/** Until what is typed is searched for. */
const pauseMs = 400;

interface FiltersProps {
  search: UrlsSearch;
  choose: (search: UrlsSearch) => void;
}

type Typed = Readonly<Record<TextField, string>>;

export function Filters({ search, choose }: FiltersProps) {
  const { filters: words } = useText().urls;
  const inAddress = JSON.stringify(typedOf(search));
  const [typed, setTyped] = useState<Typed>(() => typedOf(search));
  // A link, a tab or a saved filter changed the address.
  useEffect(() => setTyped(JSON.parse(inAddress) as Typed), [inAddress]);
  useEffect(() => {
    if (JSON.stringify(typed) === inAddress) return;
    if (textFields.some((field) => wrongIn(typed, field))) return;
    const timer = setTimeout(() => choose({ ...untyped(search), ...searchOf(typed) }), pauseMs);
    return () => clearTimeout(timer);
    // `choose` and `search` belong to the address that was compared.
    // oxlint-disable-next-line react-hooks/exhaustive-deps
  }, [typed, inAddress]);
  const [isWhole, setWhole] = useState(false);
  const isEmpty = textFields.every((field) => typed[field] === '');

  return (
    <form
      className={`filters ${isWhole ? '' : 'few'}`}
      role="search"
      aria-label={words.label}
      onSubmit={(event) => {
        event.preventDefault();
        if (!textFields.some((field) => wrongIn(typed, field)))
          choose({ ...untyped(search), ...searchOf(typed) });
      }}
    >
      {textFields.map((field) => (
        <TextInput
          key={field}
          className={`filter ${field} ${typed[field] === '' ? '' : 'used'}`}
          size="sm"
          label={words[field]}
          placeholder={words[`${field}Hint`]}
          value={typed[field]}
          spellCheck={false}
          autoCapitalize="off"
          inputMode={field === 'depth' ? 'numeric' : field === 'prefix' ? 'url' : 'text'}
          error={wrongIn(typed, field) ? words.wrong[field] : undefined}
          onChange={(event) => setTyped({ ...typed, [field]: event.currentTarget.value })}
          onKeyDown={(event) => event.key === 'Escape' && event.currentTarget.blur()}
          {...(field === 'prefix' ? { 'data-find': true } : {})}
        />
      ))}
      <Button className="more-filters" variant="default" size="sm" onClick={() => setWhole(!isWhole)}>
        {isWhole ? words.fewer : words.more}
      </Button>
      <Button variant="subtle" size="sm" disabled={isEmpty} onClick={() => choose(untyped(search))}>
        {words.clear}
      </Button>
    </form>
  );
}

const wrongIn = (typed: Typed, field: TextField): boolean => {
  const text = typed[field].trim();
  return text !== '' && problemOf(field, text) !== undefined;
};

const typedOf = (search: UrlsSearch): Typed =>
  Object.fromEntries(textFields.map((field) => [field, String(search[field] ?? '')])) as Typed;

const searchOf = (typed: Typed): UrlsSearch =>
  Object.fromEntries(
    textFields.flatMap((field) => {
      const text = typed[field].trim();
      return text === '' ? [] : [[field, valueOf(field, text)]];
    }),
  );

/** Without what the fields say. */
const untyped = ({ state, reason }: UrlsSearch): UrlsSearch => ({
  ...(state ? { state } : {}),
  ...(reason ? { reason } : {}),
});
