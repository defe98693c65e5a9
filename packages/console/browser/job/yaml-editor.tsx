import type { JobPlace } from '@webfarer/protocol/job';
import { type KeyboardEvent, useId, useLayoutEffect, useMemo, useRef, useState } from 'react';
import { editorText } from '../text/editor-text.ts';
import { useTextOf } from '../text/use-text.tsx';
import { type CompleteOptions, type Completion, completionsAt } from './complete.ts';
import { lineBreakAt } from './line-break.ts';
import '../style/editor.css';

interface YamlEditorProps {
  label: string;
  text: string;
  change: (text: string) => void;
  /** What is wrong with the text, and where. */
  places: readonly JobPlace[];
  complete?: CompleteOptions;
}

/** The list that is open: where what was typed begins, what may stand there, and which one Enter takes. */
interface Offer {
  from: number;
  at: number;
  items: readonly Completion[];
  active: number;
}

/** A text with its line numbers, its problems at their lines, and what may stand at the cursor. */
export function YamlEditor({ label, text, change, places, complete }: YamlEditorProps) {
  const words = useTextOf(editorText);
  const id = useId();
  const area = useRef<HTMLTextAreaElement>(null);
  const [offer, setOffer] = useState<Offer>();
  const [scrolled, setScrolled] = useState({ top: 0, left: 0 });

  function offerAt(at: number, isAsked: boolean): void {
    const value = area.current?.value ?? '';
    const { from, items } = completionsAt(value, at, complete);
    const isValue = /: *$/.test(value.slice(0, from));
    setOffer(
      items.length > 0 && (isAsked || from < at || isValue) ? { from, at, items, active: 0 } : undefined,
    );
  }

  /** As if it was typed, so that the browser's undo knows it. */
  function type(from: number, to: number, what: string): void {
    const field = area.current;
    if (!field) return;
    field.focus();
    field.setSelectionRange(from, to);
    insertAtSelection(field, what);
    change(field.value);
    offerAt(field.selectionStart, false);
  }

  function take(item: Completion | undefined): void {
    if (!offer || !item) return;
    type(offer.from, offer.at, item.insert);
  }

  function pressed(event: KeyboardEvent<HTMLTextAreaElement>): void {
    const { selectionStart: start, selectionEnd: end, value } = event.currentTarget;
    if (event.nativeEvent.isComposing) return;
    if (event.key === ' ' && (event.ctrlKey || event.metaKey)) offerAt(start, true);
    else if (offer && (event.key === 'ArrowDown' || event.key === 'ArrowUp')) {
      const step = event.key === 'ArrowDown' ? 1 : offer.items.length - 1;
      setOffer({ ...offer, active: (offer.active + step) % offer.items.length });
    } else if (offer && (event.key === 'Enter' || event.key === 'Tab')) take(offer.items[offer.active]);
    else if (offer && event.key === 'Escape') setOffer(undefined);
    else if (event.key === 'Enter' && start === end && !event.shiftKey) {
      const { from, insert } = lineBreakAt(value, start);
      type(from, start, insert);
      setOffer(undefined);
    } else return;
    event.preventDefault();
  }

  function show({ line, column, width }: JobPlace): void {
    const field = area.current;
    if (!field) return;
    const start = field.value.split('\n', line - 1).join('\n').length + (line > 1 ? 1 : 0) + column - 1;
    field.focus();
    field.setSelectionRange(start, start + width);
    field.scrollTop = Math.max(0, (line - 4) * linePx);
  }

  const count = text.split('\n').length;
  const numbers = useMemo(() => Array.from({ length: count }, (_, n) => n + 1).join('\n'), [count]);
  const options = `${id}-options`;
  return (
    <div className="yaml">
      <div className="yaml-box">
        <div className="yaml-lines" aria-hidden="true">
          <div style={{ transform: `translateY(${-scrolled.top}px)` }}>
            <pre>{numbers}</pre>
            {places.slice(0, mostShown).map(({ line, text: said }, n) => (
              <span key={n} className="bad" title={said} style={{ top: (line - 1) * linePx }}>
                {line}
              </span>
            ))}
          </div>
        </div>
        <textarea
          ref={area}
          aria-label={label}
          aria-describedby={`${id}-hint`}
          aria-autocomplete="list"
          aria-controls={offer ? options : undefined}
          aria-activedescendant={offer ? `${options}-${offer.active}` : undefined}
          aria-invalid={places.length > 0}
          value={text}
          wrap="off"
          spellCheck={false}
          autoCapitalize="off"
          autoComplete="off"
          onChange={(event) => {
            change(event.currentTarget.value);
            offerAt(event.currentTarget.selectionStart, false);
          }}
          onKeyDown={pressed}
          onBlur={() => setOffer(undefined)}
          onClick={() => setOffer(undefined)}
          onScroll={({ currentTarget: { scrollTop, scrollLeft } }) =>
            setScrolled({ top: scrollTop, left: scrollLeft })
          }
        />
        {offer ? <Offered id={options} text={text} offer={offer} scrolled={scrolled} take={take} /> : null}
      </div>
      <p id={`${id}-hint`} className="soft yaml-hint">
        {words.hint}
      </p>
      <span className="unseen" role="status">
        {offer ? words.offered(offer.items.length) : ''}
      </span>
      {places.length > 0 ? (
        <ol className="yaml-problems" aria-label={words.problems}>
          {places.slice(0, mostShown).map((place) => (
            <li key={`${place.line}:${place.column}:${place.text}`}>
              <button type="button" onClick={() => show(place)}>
                {words.line(place.line)}
              </button>{' '}
              <bdi>{place.text}</bdi>
              {nextStep(place, words)}
            </li>
          ))}
          {places.length > mostShown ? <li>{words.more(places.length - mostShown)}</li> : null}
        </ol>
      ) : null}
    </div>
  );
}

const mostShown = 20;
/** As in the style sheet. */
const [linePx, padPx] = [20, 12];
/** Of a list at the cursor. */
const listPx = 380;

function Offered(props: {
  id: string;
  text: string;
  offer: Offer;
  scrolled: { top: number; left: number };
  take: (item: Completion) => void;
}) {
  const { id, text, offer, scrolled, take } = props;
  const words = useTextOf(editorText);
  const list = useRef<HTMLUListElement>(null);
  const [ch, setCh] = useState({ px: 8, width: 0 });
  useLayoutEffect(() => {
    const box = list.current?.parentElement;
    const probe = box?.querySelector('.yaml-probe');
    if (probe) setCh({ px: probe.getBoundingClientRect().width / 10, width: box?.clientWidth ?? 0 });
  }, []);
  useLayoutEffect(() => {
    list.current?.querySelector('[aria-selected=true]')?.scrollIntoView({ block: 'nearest' });
  }, [offer.active]);
  const lines = text.slice(0, offer.from).split('\n');
  const top = lines.length * linePx + padPx - scrolled.top;
  const gutter = 52;
  const wanted = gutter + (lines.at(-1)?.length ?? 0) * ch.px - scrolled.left;
  const left = Math.max(0, Math.min(wanted, ch.width - listPx));
  return (
    <>
      <span className="yaml-probe" aria-hidden="true">
        0000000000
      </span>
      <ul
        ref={list}
        id={id}
        role="listbox"
        aria-label={words.offers}
        className="yaml-offer"
        style={{ top, left }}
      >
        {offer.items.map((item, n) => (
          <li
            key={item.label}
            id={`${id}-${n}`}
            role="option"
            aria-selected={n === offer.active}
            // Before the text loses the focus.
            onMouseDown={(event) => {
              event.preventDefault();
              take(item);
            }}
          >
            <b>{item.label}</b>
            {item.usual === undefined ? null : <code>{item.usual}</code>}
            {item.description === undefined ? null : <span lang="en">{item.description}</span>}
          </li>
        ))}
      </ul>
    </>
  );
}

function insertAtSelection(field: HTMLTextAreaElement, what: string): void {
  const { selectionStart, selectionEnd } = field;
  const typed = (document as { execCommand?: (name: string, shown: boolean, value: string) => boolean })
    .execCommand;
  const isDone = what === '' ? false : typed?.call(document, 'insertText', false, what);
  if (isDone !== true) field.setRangeText(what, selectionStart, selectionEnd, 'end');
}

/** What to do about a problem, where its words do not say it. */
function nextStep({ text, problem }: JobPlace, words: typeof editorText.en): string {
  if (problem.code === 'contact-missing') return ` ${words.contact}`;
  return text.startsWith('Implicit map keys') ? `. ${words.field}` : '';
}
