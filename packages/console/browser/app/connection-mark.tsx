import { useConnection } from '../api/connected.tsx';
import { useNow } from '../parts/use-now.ts';
import { useFormats, useText } from '../text/use-text.tsx';

/** Whether the figures on the screen are of now. */
export function ConnectionMark() {
  const { stream } = useText();
  const { span } = useFormats();
  const connection = useConnection();
  const now = useNow(connection.state === 'stale' ? 1_000 : undefined);
  const { words, hint } =
    connection.state === 'live'
      ? { words: stream.live, hint: stream.liveHint(connection.coordinator) }
      : connection.state === 'connecting'
        ? { words: stream.connecting, hint: '' }
        : {
            words: stream.stale(span(Math.max(1_000, now - connection.sinceMs))),
            hint: stream.staleHint(connection.reason),
          };
  return (
    <span className={`mark ${connection.state}`} role="status" title={hint}>
      <i aria-hidden="true" />
      {words}
    </span>
  );
}
