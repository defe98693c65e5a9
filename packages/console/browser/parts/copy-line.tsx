import { Button } from '@mantine/core';
import { useState } from 'react';
import { dataText } from '../text/data-text.ts';
import { useTextOf } from '../text/use-text.tsx';
import '../style/copy-line.css';

/** A command to be typed elsewhere, and a button that copies it. */
export function CopyLine({ text }: { text: string }) {
  const { copy: words } = useTextOf(dataText);
  const [said, setSaid] = useState<'copied' | 'failed'>();
  // Without a secure connection there is no clipboard at all, and the attempt throws.
  const copy = async () => await navigator.clipboard.writeText(text);
  return (
    <div className="copy-line">
      <pre className="code" tabIndex={0}>
        {text}
      </pre>
      <Button
        variant="default"
        size="compact-sm"
        onClick={() =>
          void copy().then(
            () => setSaid('copied'),
            () => setSaid('failed'),
          )
        }
      >
        <span aria-live="polite">{said === undefined ? words.copy : words[said]}</span>
      </Button>
    </div>
  );
}
