import { Button, CloseButton, Modal, TextInput } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { useText } from '../text/use-text.tsx';
import { forgetFilter, savedFilters, saveFilter } from './saved-filters.ts';
import type { UrlsSearch } from '../api/url-search.ts';

/** Filters that a person uses again, kept in the browser under names. */
export function SavedFilters({
  search,
  choose,
}: {
  search: UrlsSearch;
  choose: (search: UrlsSearch) => void;
}) {
  const { saved: words } = useText().urls;
  const [isOpen, setOpen] = useState(false);
  const [filters, setFilters] = useState(() => savedFilters(localStorage));
  const [name, setName] = useState('');
  const isEmpty = Object.keys(search).length === 0;

  function save(event: FormEvent): void {
    event.preventDefault();
    if (name.trim() === '' || isEmpty) return;
    setFilters(saveFilter(localStorage, { name, search }));
    setName('');
  }

  return (
    <>
      <Button variant="default" onClick={() => setOpen(true)}>
        {words.open}
      </Button>
      <Modal
        opened={isOpen}
        onClose={() => setOpen(false)}
        title={words.open}
        lockScroll={false}
        closeButtonProps={{ 'aria-label': words.close }}
      >
        <p className="soft">{filters.length === 0 ? words.none : words.lead}</p>
        <ul className="saved-filters">
          {filters.map((filter) => (
            <li key={filter.name}>
              <Button
                variant="subtle"
                fullWidth
                justify="start"
                title={words.apply(filter.name)}
                onClick={() => {
                  setOpen(false);
                  choose(filter.search);
                }}
              >
                <bdi>{filter.name}</bdi>
              </Button>
              <CloseButton
                aria-label={words.remove(filter.name)}
                onClick={() => setFilters(forgetFilter(localStorage, filter.name))}
              />
            </li>
          ))}
        </ul>
        <form className="save-filter" onSubmit={save}>
          <TextInput
            label={words.name}
            value={name}
            maxLength={80}
            disabled={isEmpty}
            onChange={(event) => setName(event.currentTarget.value)}
          />
          <Button type="submit" disabled={isEmpty || name.trim() === ''}>
            {words.save}
          </Button>
        </form>
      </Modal>
    </>
  );
}
