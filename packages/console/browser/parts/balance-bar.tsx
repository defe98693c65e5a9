import type { Balance } from '@webfarer/protocol';
import { balanceParts, numberTable } from '@webfarer/protocol/numbers';
import { useFormats, useText } from '../text/use-text.tsx';

/** What became of the URLs that are known, as shares of one bar. Its parts add up to what is known. */
export function BalanceBar({ balance }: { balance: Balance }) {
  const { numbers: words } = useText();
  const { count } = useFormats();
  const label = balanceParts
    .filter((part) => balance[part] > 0)
    .map((part) => `${count(balance[part])} ${words[part]}`)
    .join(', ');
  const width = 1000;
  let from = 0;
  return (
    <svg
      className="stack"
      viewBox={`0 0 ${width} 10`}
      preserveAspectRatio="none"
      role="img"
      aria-label={label || words.known}
    >
      <rect className="nothing" width={width} height="10" />
      {balanceParts.map((part) => {
        const share = balance.known > 0 ? (balance[part] / balance.known) * width : 0;
        const at = from;
        from += share;
        return share > 0 ? (
          <rect key={part} className={numberTable[part].tone} x={at} width={share} height="10" />
        ) : null;
      })}
    </svg>
  );
}
