import { useFormats } from '../../text/use-text.tsx';

interface Surveyed {
  read: number;
  balance: { done: number; failed: number; refused: number };
}

interface SurveyProgressProps {
  of: Surveyed | undefined;
  title: string;
  say: (read: string, settled: string) => string;
}

/** How much of the results was read. */
export function SurveyProgress({ of, title, say }: SurveyProgressProps) {
  const { count, percent } = useFormats();
  const settled = of ? of.balance.done + of.balance.failed + of.balance.refused : 0;
  const read = Math.min(of?.read ?? 0, settled);
  return (
    <p className="soft compare-progress" role="status">
      {say(count(read), count(settled))}{' '}
      <progress value={read} max={Math.max(1, settled)} aria-label={title}>
        {percent(settled === 0 ? 0 : read / settled)}
      </progress>
    </p>
  );
}
