import { Button } from '@mantine/core';
import { useState } from 'react';

/** Text to be used elsewhere. Without a secure connection browsers copy nothing for a page: then it is selected by a click. */
export function CopyBlock({
  text,
  label,
  copy,
  copied,
}: {
  text: string;
  label?: string;
  copy: string;
  copied: string;
}) {
  const [isCopied, setCopied] = useState(false);
  const clipboard = globalThis.isSecureContext ? navigator.clipboard : undefined;
  return (
    <div className="copy-block">
      {label === undefined ? null : <h3>{label}</h3>}
      <div>
        <pre tabIndex={0}>{text}</pre>
        {clipboard ? (
          <Button
            size="compact-xs"
            variant="default"
            aria-label={label === undefined ? copy : `${copy}: ${label}`}
            onClick={() => void clipboard.writeText(text).then(() => setCopied(true))}
          >
            {isCopied ? copied : copy}
          </Button>
        ) : null}
      </div>
    </div>
  );
}
