import { namer } from '../names/file-name.ts';
import type { Saver } from '../saver.ts';
import { plainFiles } from './files-saver.ts';
import { jsonlSaver } from '../markdown/jsonl-saver.ts';
import { type MarkdownSaverOptions, pageText, withFrontMatter } from '../markdown/page-text.ts';

/** The text of pages, for search and for language models: a file with front matter for each, or lines of JSON. */
export function markdownSaver(options: MarkdownSaverOptions): Saver {
  if (options.as === 'jsonl') return jsonlSaver(options);
  const { folder, name, content, process } = options;
  return plainFiles({
    kind: 'markdown',
    folder,
    nameOf: namer(name, content === 'text' ? 'txt' : 'md'),
    async contentOf(capture) {
      const page = await pageText(capture, options);
      return page && Buffer.from(withFrontMatter(page));
    },
    ...(process !== undefined && { process }),
  });
}
