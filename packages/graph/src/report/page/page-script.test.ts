import { Script } from 'node:vm';
import { describe, expect, it } from 'vitest';
import { pageScript } from './page-script.ts';

describe('page script', () => {
  it.each(['report-page', 'explorer-page'])('%s is one script that a browser can parse', (entry) => {
    const script = pageScript(entry);
    expect(() => new Script(script)).not.toThrow();
    expect(script).not.toMatch(/^\s*(import|export)\b/m);
    expect(script).not.toContain('</script');
  });

  it('holds each module once, before the modules that import it', () => {
    const script = pageScript('explorer-page');
    expect(script.split('function byId(')).toHaveLength(2);
    expect(script.indexOf('function byId(')).toBeLessThan(script.indexOf('function hostsView('));
  });
});
