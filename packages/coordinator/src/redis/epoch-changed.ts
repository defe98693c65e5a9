import { WebfarerError } from '@webfarer/protocol';

export function epochChanged(): WebfarerError {
  return new WebfarerError(
    'epoch-changed',
    'the store may have gone back in time since this report was trimmed',
    { next: 'The worker resends the report with all its links; no action is needed.' },
  );
}
