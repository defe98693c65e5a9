import type { Rule } from './project.ts';

const maxLines = 500;

/** Past this a file has become two. */
export const size: Rule = {
  name: 'file size',
  reads: ['ts', 'tsx', 'lua'],
  find(project) {
    return project.sources.flatMap(({ path, text }) => {
      const lines = text.trimEnd().split('\n').length;
      return lines > maxLines
        ? [{ path, line: lines, message: `${lines} lines; split it before ${maxLines}` }]
        : [];
    });
  },
};
