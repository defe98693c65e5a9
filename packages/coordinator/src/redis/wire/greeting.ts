import { hostname } from 'node:os';
import type { Command } from './resp.ts';

/** So that an operator who lists the clients of a server (CLIENT LIST) sees whose they are. */
export const clientName = `webfarer-${hostname().replaceAll(/[^\w.-]/g, '-')}-${process.pid}`;

/** Sent with the first commands of a connection. Nobody waits for its answer, and a refusal changes nothing. */
export const greeting: readonly Command[] = [['CLIENT', 'SETNAME', clientName]];
