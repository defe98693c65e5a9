import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const run = 'window.__ran=1';
/** Out of the places that a text may stand in: an attribute, a comment, an element that holds text alone. */
const waysOut = ['', '">', "'>", '</title>', '</textarea>', '</script>', '-->', ']]>', '</style>', '\u2028'];
const carriers = [
  `<script>${run}</script>`,
  `<ScRiPt>${run}</sCrIpT>`,
  `<script src=//elsewhere.example/x.js></script>`,
  `<img src=x onerror=${run}>`,
  `<img src=x onerror=${run}//`,
  `<svg/onload=${run}>`,
  `<svg><animate onbegin=${run} attributeName=x dur=1s>`,
  `<svg><use href="data:image/svg+xml,<svg id=x xmlns='http://www.w3.org/2000/svg'><script>${run}</script></svg>#x">`,
  `<iframe src="javascript:parent.__ran=1">`,
  `<iframe srcdoc="<script>parent.__ran=1</script>">`,
  `<object data="javascript:${run}">`,
  `<embed src="data:text/html,<script>parent.__ran=1</script>">`,
  `<input autofocus onfocus=${run}>`,
  `<details open ontoggle=${run}>`,
  `<video src=x onerror=${run}>`,
  `<marquee onstart=${run}>`,
  `<a href="javascript:${run}" autofocus onfocus=${run}>x</a>`,
  `<form><button formaction="javascript:${run}" autofocus>x`,
  `<math href="javascript:${run}"><mi>x`,
  `<template><img src=x onerror=${run}></template>`,
];

/** Made here, not listed: every carrier behind every way out. */
export const scriptStrings: readonly string[] = waysOut.flatMap((out) =>
  carriers.map((carrier) => `${out}${carrier}`),
);

/** All naughty strings of the corpus, where there is one, and 200 that would run as code. */
export function naughtyStrings(): string[] {
  const file = join(process.env['WEBFARER_CORPORA'] ?? '', 'strings/blns.json');
  const listed = existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as string[]) : [];
  return [...listed, ...scriptStrings];
}
