import type { PageStep, StepAction } from '@webfarer/protocol/job';

/** A step as it is done on a page: what was to be looked up has been. */
export interface ReadyStep extends Omit<PageStep, 'action'> {
  action: Exclude<StepAction, { kind: 'type' }> | TypeAction;
}

export interface TypeAction {
  kind: 'type';
  into: string[];
  text: string;
  /** Nobody else's business: neither the record nor the archive of the page may hold it. */
  secret: boolean;
}

/** `steps[0].do[2] (click .more)` */
export function nameOf({ at, action }: ReadyStep): string {
  return `${at} (${describe(action)})`;
}

function describe(action: ReadyStep['action']): string {
  switch (action.kind) {
    case 'wait':
      return `waitFor ${Object.entries(action.for)
        .map(([what, value]) => (what === 'quiet' ? what : targets([value].flat())))
        .join('')}`;
    case 'click':
      return `click ${targets(action.on)}`;
    case 'type':
      return `type into ${targets(action.into)}`;
    case 'press':
      return `press ${action.key}`;
    case 'select':
      return `select in ${targets(action.in)}`;
    case 'scroll':
      return action.in ? `scroll ${targets(action.in)}` : 'scroll';
    case 'scrollTo':
      return `scroll ${action.in ? `${targets(action.in)} ` : ''}to ${action.top}`;
    case 'expand':
      return `expand ${targets(action.all)}`;
    case 'dismiss':
      return `dismiss ${targets(action.any)}`;
  }
}

/** Of the names of an element, in characters. */
const maxNames = 100;

function targets(names: readonly string[]): string {
  const text = names.join(', ');
  return text.length > maxNames ? `${text.slice(0, maxNames)}…` : text;
}
