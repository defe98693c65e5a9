import { logFormats } from '@webfarer/coordinator/events/process-log';
import { type Command, Option } from 'commander';
import { collect } from '../context/command-line.ts';
import type { LogTargetOptions } from './log-target.ts';

/** How a running process is looked into. */
export interface DiagnosticsOptions extends LogTargetOptions {
  metrics?: string;
  trace?: boolean;
  /** A folder, or true for the usual one. */
  profile?: string | true;
}

const levels = ['debug', 'info', 'warn', 'error'] as const;

export function addDiagnosticsOptions(command: Command): void {
  command
    .optionsGroup('Diagnostics:')
    .option(
      '--metrics <address:port>',
      'answer /metrics for Prometheus there, without a token; a port alone is of this machine only (docs/metrics.md)',
    )
    .option('--trace', 'report spans of each URL through the OpenTelemetry API (docs/tracing.md)')
    .option(
      '--profile [folder]',
      'write a CPU profile and heap figures at the end and on SIGUSR2 (./webfarer-profile)',
    )
    .option('--log-file <file>', 'also write a log of events there; - is stderr (docs/events.md)')
    .addOption(new Option('--log-format <format>', 'of --log-file (json)').choices(logFormats))
    .addOption(
      new Option('--log-level <level>', 'the least to write; debug has every page (info)').choices(levels),
    )
    .option('--log-size <size>', 'begin a new file beyond this (16MB)')
    .option('--log-keep <n>', 'how many earlier files to keep (5)')
    .option('--log-crawl <name>', 'leave out events of other crawls (repeatable)', collect)
    .option(
      '--log-host <host>',
      'leave out events of other hosts, such as *.example.org (repeatable)',
      collect,
    );
}
