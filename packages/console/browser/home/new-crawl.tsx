import { Button, TextInput } from '@mantine/core';
import { type FormEvent, lazy, Suspense, useState } from 'react';
import { useMayOperate } from '../api/connected.tsx';
import { useText } from '../text/use-text.tsx';

const CrawlPreview = lazy(async () => ({ default: (await import('./crawl-preview.tsx')).CrawlPreview }));

/** Takes the bare address of a site. Nothing starts before the person has seen what would happen. */
export function NewCrawl() {
  const { create, loading } = useText();
  const mayOperate = useMayOperate();
  const [address, setAddress] = useState('');
  const [previewed, setPreviewed] = useState<string>();

  function preview(event: FormEvent): void {
    event.preventDefault();
    if (address.trim() !== '') setPreviewed(address.trim());
  }

  function change(value: string): void {
    setAddress(value);
    setPreviewed(undefined);
  }

  return (
    <section className="panel new-crawl" aria-labelledby="new-crawl-title">
      <form onSubmit={preview}>
        <h2 id="new-crawl-title">{create.title}</h2>
        <TextInput
          id="new-crawl"
          size="md"
          aria-label={create.label}
          placeholder={create.placeholder}
          value={address}
          onChange={(event) => change(event.currentTarget.value)}
          autoComplete="off"
          autoCapitalize="off"
          spellCheck={false}
          inputMode="url"
          disabled={!mayOperate}
        />
        <Button
          type="submit"
          size="md"
          variant={previewed === undefined ? 'filled' : 'default'}
          disabled={address.trim() === ''}
        >
          {create.preview}
        </Button>
      </form>
      {mayOperate ? null : <p className="soft">{create.viewer}</p>}
      {previewed === undefined ? null : (
        <Suspense fallback={<p className="soft">{loading}</p>}>
          <CrawlPreview key={previewed} address={previewed} cancel={() => setPreviewed(undefined)} />
        </Suspense>
      )}
    </section>
  );
}
