import { describe, expect, it } from 'vitest';
import { typePolicy } from './type-rules.ts';

describe('typePolicy', () => {
  const policy = typePolicy({ save: ['text/*', 'application/pdf'], ignore: ['video/*', 'text/calendar'] });

  it('saves what fits and is not ignored', () => {
    expect(policy.saves('text/plain')).toBe(true);
    expect(policy.saves('application/pdf')).toBe(true);
    expect(policy.saves('text/calendar')).toBe(false);
    expect(policy.saves('image/png')).toBe(false);
  });

  it('reads pages for their links even when they are not saved', () => {
    const pdfOnly = typePolicy({ save: ['application/pdf'], ignore: [] });
    expect(pdfOnly.saves('text/html')).toBe(false);
    expect(pdfOnly.reads('text/html')).toBe(true);
    expect(pdfOnly.reads('application/rss+xml')).toBe(true);
    expect(pdfOnly.reads('application/zip')).toBe(false);
    expect(pdfOnly.reads('image/png')).toBe(false);
  });

  it('never reads what is ignored', () => {
    expect(policy.reads('video/mp4')).toBe(false);
    expect(typePolicy({ save: ['*/*'], ignore: ['text/html'] }).reads('text/html')).toBe(false);
  });
});
