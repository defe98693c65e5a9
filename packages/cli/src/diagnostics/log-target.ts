import { resolve } from 'node:path';
import { type LogFormat, openLog, type ProcessLog } from '@webfarer/coordinator/events/process-log';
import { rotatingFile } from '@webfarer/coordinator/events/rotating-file';
import { WebfarerError } from '@webfarer/protocol';
import type { EventLevel } from '@webfarer/protocol/crawl';
import { parseSize } from '@webfarer/protocol/job';
import { hostPattern } from '@webfarer/protocol/url';
import type { CliContext } from '../context/context.ts';
import { wholeNumber } from '../job/crawl-options.ts';

export interface LogTargetOptions {
  logFile?: string;
  logFormat?: LogFormat;
  logLevel?: EventLevel;
  logSize?: string;
  logKeep?: string;
  logCrawl?: string[];
  logHost?: string[];
}

/** The log that --log-file asks for; undefined: none. */
export function logTarget(
  { cwd, terminal }: Pick<CliContext, 'cwd' | 'terminal'>,
  options: LogTargetOptions,
): ProcessLog | undefined {
  const { logFile, logSize = '16MB', logKeep = '5' } = options;
  if (logFile === undefined) {
    const [unused] = Object.keys(options).filter((name) => name.startsWith('log') && name !== 'logIn');
    if (unused === undefined) return undefined;
    const flag = `--${unused.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
    throw new WebfarerError('usage', `${flag} needs --log-file`, {
      next: 'Add --log-file web.log, or --log-file - to write the log to stderr.',
    });
  }
  const maxBytes = parseSize(logSize);
  if (maxBytes === undefined)
    throw new WebfarerError('usage', `--log-size ${logSize} is not a size`, { next: 'For example 16MB.' });
  const keep = wholeNumber(logKeep, '--log-keep', 5);
  return openLog({
    write: logFile === '-' ? terminal.err : rotatingFile(resolve(cwd, logFile), { maxBytes, keep }),
    format: options.logFormat ?? 'json',
    level: options.logLevel ?? 'info',
    crawls: options.logCrawl ?? [],
    hosts: (options.logHost ?? []).map(patternOf),
  });
}

function patternOf(text: string): string {
  const pattern = hostPattern(text);
  if (pattern !== undefined) return pattern;
  throw new WebfarerError('usage', `--log-host ${text} is not a host`, {
    next: 'For example example.org, or *.example.org for it and all below.',
  });
}
