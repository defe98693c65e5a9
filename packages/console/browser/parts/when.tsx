import { useFormats, useText } from '../text/use-text.tsx';

/** A moment in local time, with UTC on hover. */
export function When({ atMs, clock = false }: { atMs: number; clock?: boolean }) {
  const formats = useFormats();
  const { time } = useText();
  const iso = new Date(atMs).toISOString();
  return (
    <time dateTime={iso} title={`${formats.utc(atMs)} ${time.utc}`}>
      {clock ? formats.clock(atMs) : formats.local(atMs)}
    </time>
  );
}
