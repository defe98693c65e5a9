import { useComputedColorScheme } from '@mantine/core';
import { useEffect, useRef, useState } from 'react';
import UPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';
import { useFormats } from '../text/use-text.tsx';

export interface Series {
  label: string;
  /** A colour of the theme. */
  tone: 'accent' | 'done' | 'refused' | 'failed' | 'leased';
  /** Null: nobody knows. */
  values: (number | null)[];
}

interface TimeChartProps {
  label: string;
  atSeconds: number[];
  series: Series[];
}

const height = 150;
/** Beyond this a time of day alone says too little. */
const daySeconds = 72_000;

/** Lines over time from 0, with a legend that shows the values under the pointer and otherwise the latest. */
export function TimeChart({ label, atSeconds, series }: TimeChartProps) {
  const { count, rate, axisTime, local, clock } = useFormats();
  const scheme = useComputedColorScheme();
  const room = useRef<HTMLDivElement>(null);
  const plot = useRef<UPlot>(null);
  const [pointed, setPointed] = useState<number>();
  const names = series.map((each) => `${each.tone} ${each.label}`).join('|');

  useEffect(() => {
    const element = room.current;
    if (!element) return;
    const style = getComputedStyle(element);
    const color = (name: string) => style.getPropertyValue(`--${name}`).trim();
    const axis = {
      stroke: color('soft'),
      grid: { stroke: color('line'), width: 1 },
      ticks: { show: false },
      font: '11px system-ui',
    };
    const made = new UPlot(
      {
        width: element.clientWidth,
        height,
        legend: { show: false },
        cursor: { y: false, drag: { x: false, y: false } },
        hooks: { setCursor: [({ cursor }) => setPointed(cursor.idx ?? undefined)] },
        scales: { y: { range: (_, __, most) => [0, Math.max(1, most * 1.08)] } },
        axes: [
          {
            ...axis,
            size: 26,
            space: 90,
            values: (_, ticks, __, ___, stepSeconds) =>
              ticks.map((tick) => axisTime(tick * 1_000, stepSeconds * 1_000)),
          },
          {
            ...axis,
            size: 48,
            values: (_, ticks) => ticks.map((tick) => (Number.isInteger(tick) ? count(tick) : rate(tick))),
          },
        ],
        series: [
          {},
          ...names.split('|').map((name) => {
            const tone = color(name.split(' ', 1)[0] ?? 'accent');
            return {
              stroke: tone,
              width: 2,
              points: { show: false },
              ...(names.includes('|') ? {} : { fill: `color-mix(in srgb, ${tone} 14%, transparent)` }),
            };
          }),
        ],
      },
      [[], ...names.split('|').map(() => [])],
      element,
    );
    plot.current = made;
    const observer = new ResizeObserver(() => made.setSize({ width: element.clientWidth, height }));
    observer.observe(element);
    return () => {
      observer.disconnect();
      made.destroy();
    };
  }, [names, scheme, axisTime, count, rate]);

  useEffect(() => {
    plot.current?.setData([atSeconds, ...series.map(({ values }) => values)]);
  }, [atSeconds, series, scheme]);

  const valueWords = (value: number | null): string => {
    if (value === null) return '–';
    return Number.isInteger(value) ? count(value) : rate(value);
  };
  const isLong = (atSeconds.at(-1) ?? 0) - (atSeconds[0] ?? 0) > daySeconds;
  const at = pointed !== undefined && pointed < atSeconds.length ? pointed : atSeconds.length - 1;
  const shown = series.map(({ label: name, tone, values }) => ({ name, tone, value: values[at] ?? null }));
  const words = shown.map(({ name, value }) => `${name}: ${valueWords(value)}`).join(', ');
  return (
    <>
      <div ref={room} className="plot" role="img" aria-label={`${label}. ${words}`} />
      <ul className="plot-legend">
        {shown.map(({ name, tone, value }) => (
          <li key={name}>
            <i className={tone} aria-hidden="true" />
            {name} <b>{valueWords(value)}</b>
          </li>
        ))}
        <li className="at">{(isLong ? local : clock)((atSeconds[at] ?? 0) * 1_000)}</li>
      </ul>
    </>
  );
}
