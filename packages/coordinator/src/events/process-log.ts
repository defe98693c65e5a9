import type { EventType, HostKey, WebfarerEvent } from '@webfarer/protocol';
import { eventCatalogue, type EventLevel } from '@webfarer/protocol/crawl';
import { fitsHost, hostOf } from '@webfarer/protocol/url';
import type { EventBus } from './event-bus.ts';
import { eventLine } from './published-event.ts';

export const logFormats = ['json', 'text'] as const;
export type LogFormat = (typeof logFormats)[number];

export interface LogOptions {
  write: (line: string) => void;
  format: LogFormat;
  /** This one and those that are worse. */
  level: EventLevel;
  /** Ids or names of crawls; empty: all. Events that belong to no crawl are always written. */
  crawls: readonly string[];
  /** Patterns of hosts; empty: all. Events that name no host are always written. */
  hosts: readonly string[];
}

/** Writes what happens in a process, as much of it as an operator wants to read. */
export interface ProcessLog {
  /** `nameOf`: the name of a crawl by its id. Returns a function that ends it. */
  attach(bus: Pick<EventBus, 'listen'>, nameOf: (crawl: string) => string | undefined): () => void;
}

const levels: readonly EventLevel[] = ['debug', 'info', 'warn', 'error'];

export function openLog({ write, format, level, crawls, hosts }: LogOptions): ProcessLog {
  const types = (Object.keys(eventCatalogue) as (EventType | 'events-missed')[]).filter(
    (type): type is EventType =>
      type !== 'events-missed' && levels.indexOf(eventCatalogue[type].level) >= levels.indexOf(level),
  );

  function isWanted(event: WebfarerEvent, nameOf: (crawl: string) => string | undefined): boolean {
    if (crawls.length > 0 && 'crawl' in event) {
      const name = 'name' in event ? event.name : nameOf(event.crawl);
      if (!crawls.includes(event.crawl) && !crawls.includes(name ?? '')) return false;
    }
    const host = hosts.length > 0 ? hostIn(event) : undefined;
    return host === undefined || hosts.some((pattern) => fitsHost(pattern, host));
  }

  return {
    attach: (bus, nameOf) =>
      bus.listen(types, (event, atMs) => {
        if (!isWanted(event, nameOf)) return;
        const line = eventLine(event, atMs);
        write(format === 'json' ? line : textOf(line));
      }),
  };
}

function hostIn(event: WebfarerEvent): HostKey | undefined {
  switch (event.type) {
    case 'record':
      return hostOf(event.record.url);
    case 'robots':
      return event.origin.replace(/^\w+:\/\//, '').replace(/:\d+$/, '') as HostKey;
    case 'host-waits':
    case 'cookies-left-out':
      return event.host;
    case 'crawl-stalled':
      return event.stall.host as HostKey | undefined;
    default:
      return undefined;
  }
}

/** `2026-11-17T07:30:00.000Z warn worker-left worker=w1 reason="the connection was lost"`, from a line whose secrets are masked. */
function textOf(line: string): string {
  const { at, level, type, ...fields } = JSON.parse(line) as Record<string, unknown>;
  return `${[at, level, type, ...pairs(fields, '')].join(' ')}\n`;
}

function pairs(fields: Record<string, unknown>, prefix: string): string[] {
  return Object.entries(fields).flatMap(([name, value]) => {
    const isGroup = typeof value === 'object' && value !== null && !Array.isArray(value);
    if (isGroup) return pairs(value as Record<string, unknown>, `${prefix}${name}.`);
    const text = typeof value === 'string' ? value : JSON.stringify(value);
    return [`${prefix}${name}=${/^[\x21\x23-\x3c\x3e-\x7e]+$/.test(text) ? text : JSON.stringify(text)}`];
  });
}
