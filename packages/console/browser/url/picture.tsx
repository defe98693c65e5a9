import { Button } from '@mantine/core';
import { renditionUri } from '@webfarer/protocol/crawl';
import { useEffect, useRef, useState } from 'react';
import { captureText } from '../text/capture-text.ts';
import { useFormats, useText, useTextOf } from '../text/use-text.tsx';
import { handOver } from '../urls/export-menu.tsx';
import type { SavedPicture } from './read-saved.ts';

/** Drawn, not loaded as a page of its own: the content security policy allows no picture that a script made. */
export function Picture({ url, picture }: { url: string; picture: SavedPicture }) {
  const { one: labels } = useText().urls;
  const words = useTextOf(captureText);
  const { bytes, count } = useFormats();
  const { file, kind, mime } = picture;
  const canvas = useRef<HTMLCanvasElement>(null);
  const [size, setSize] = useState<{ width: number; height: number } | 'broken'>();
  useEffect(() => {
    let isGone = false;
    createImageBitmap(file).then(
      (bitmap) => {
        const at = canvas.current;
        if (!at || isGone) return bitmap.close();
        const { width, height } = bitmap;
        [at.width, at.height] = [width, height];
        at.getContext('2d')?.drawImage(bitmap, 0, 0);
        bitmap.close();
        setSize({ width, height });
      },
      () => isGone || setSize('broken'),
    );
    return () => void (isGone = true);
  }, [file]);
  if (size === 'broken') return <p className="soft">{words.noPicture}</p>;
  const name = renditionUri(kind, url);
  return (
    <figure className="picture-box">
      <canvas
        ref={canvas}
        className="picture"
        role="img"
        aria-label={`${labels.previews.screenshot}: ${name}`}
      />
      <figcaption className="soft small">
        <span className="picture-facts">
          {size ? `${count(size.width)} × ${count(size.height)}` : ''} · {bytes(file.size)}
          <bdi dir="ltr" className="picture-name">
            {name}
          </bdi>
        </span>
        <Button
          variant="default"
          size="compact-sm"
          onClick={() => handOver(file, `${kind}.${mime.slice('image/'.length)}`)}
        >
          {words.download}
        </Button>
      </figcaption>
    </figure>
  );
}
