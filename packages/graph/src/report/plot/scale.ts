/** A coordinate as it stands in a picture. */
export function at(value: number): string {
  return String(Math.round(value * 10) / 10);
}

/** Round values from 0 to at least `max`, about `wanted` of them. */
export function ticks(max: number, wanted = 4): number[] {
  if (max <= 0) return [0, 1];
  const rough = max / wanted;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 2.5, 5, 10].map((f) => f * power).find((s) => s >= rough * (1 - 1e-9)) ?? 10 * power;
  const found = [0];
  while ((found.at(-1) ?? 0) < max * (1 - 1e-9)) found.push(Number((found.length * step).toPrecision(12)));
  return found;
}

/** The same for whole things, of which there are no halves. */
export function wholeTicks(max: number, wanted = 4): number[] {
  return max < wanted
    ? Array.from({ length: Math.max(1, Math.ceil(max)) + 1 }, (_, i) => i)
    : ticks(max, wanted);
}

/** From a value to its place, by its order of magnitude. */
export function logScale(from: number, to: number, length: number): (value: number) => number {
  const [low, high] = [Math.log10(from), Math.log10(Math.max(to, from * 10))];
  return (value) => (length * (Math.log10(Math.max(value, from)) - low)) / (high - low);
}

/** Powers of ten between two values, both ends included. */
export function powers(from: number, to: number): number[] {
  const first = Math.floor(Math.log10(from));
  const last = Math.ceil(Math.log10(to));
  return Array.from({ length: last - first + 1 }, (_, i) => 10 ** (first + i));
}

/** A short figure for an axis: `1.5k`, `20M`. */
export function short(value: number): string {
  if (value === 0) return '0';
  const units = ['', 'k', 'M', 'G', 'T'];
  const unit = Math.min(units.length - 1, Math.max(0, Math.floor(Math.log10(Math.abs(value)) / 3)));
  return `${Number((value / 1000 ** unit).toPrecision(3))}${units[unit]}`;
}

/** Text that has room for so many characters. */
export function cut(text: string, room: number): string {
  return text.length <= room ? text : room < 2 ? '' : `${text.slice(0, room - 1)}…`;
}
