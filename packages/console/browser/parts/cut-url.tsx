/** What stays in sight of the end of a long URL: there is what tells it from its neighbors. */
const tailLength = 28;

/** A URL on one line: cut in the middle where it is too long, whole on hover and for readers of screens. */
export function CutUrl({ url }: { url: string }) {
  const at = url.length > tailLength * 2 ? url.length - tailLength : url.length;
  return (
    <bdi className="cut" dir="ltr" title={url}>
      <span className="cut-head">{url.slice(0, at)}</span>
      {at < url.length ? <span className="cut-tail">{url.slice(at)}</span> : null}
    </bdi>
  );
}
