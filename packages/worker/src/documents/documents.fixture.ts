import { deflateRawSync, deflateSync } from 'node:zlib';

interface ZipFile {
  name: string;
  content: string | Buffer;
  /** Kept as it is. */
  stored?: boolean;
}

/** A zip archive as other programs write it. */
export function zipOf(files: readonly ZipFile[]): Buffer {
  const parts: Buffer[] = [];
  const list: Buffer[] = [];
  let at = 0;
  for (const { name, content, stored = false } of files) {
    const raw = Buffer.from(content);
    const packed = stored ? raw : deflateRawSync(raw);
    const file = Buffer.alloc(30);
    file.writeUInt32LE(0x04034b50, 0);
    file.writeUInt16LE(stored ? 0 : 8, 8);
    file.writeUInt32LE(packed.length, 18);
    file.writeUInt32LE(raw.length, 22);
    file.writeUInt16LE(name.length, 26);
    parts.push(file, Buffer.from(name), packed);
    const entry = Buffer.alloc(46);
    entry.writeUInt32LE(0x02014b50, 0);
    entry.writeUInt16LE(stored ? 0 : 8, 10);
    entry.writeUInt32LE(packed.length, 20);
    entry.writeUInt32LE(raw.length, 24);
    entry.writeUInt16LE(name.length, 28);
    entry.writeUInt32LE(at, 42);
    list.push(entry, Buffer.from(name));
    at += file.length + name.length + packed.length;
  }
  const end = Buffer.alloc(22);
  end.writeUInt32LE(0x06054b50, 0);
  end.writeUInt16LE(files.length, 10);
  end.writeUInt32LE(
    list.reduce((sum, { length }) => sum + length, 0),
    12,
  );
  end.writeUInt32LE(at, 16);
  return Buffer.concat([...parts, ...list, end]);
}

/** A Word document with this body, in WordprocessingML. */
export function docxOf(body: string): Buffer {
  const styles = ['Heading1 heading 1', 'Heading2 heading 2', 'Titel Title']
    .map((style) => style.split(/ (.*)/s))
    .map(([id, name]) => `<w:style w:styleId="${id}"><w:name w:val="${name}"/></w:style>`)
    .join('');
  const list = (id: number, format: string) =>
    `<w:abstractNum w:abstractNumId="${id}">${[0, 1].map((level) => `<w:lvl w:ilvl="${level}"><w:numFmt w:val="${format}"/></w:lvl>`).join('')}</w:abstractNum>`;
  const relation = (id: string, type: string, target: string) =>
    `<Relationship Id="${id}" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/${type}" Target="${target}"/>`;
  return zipOf([
    {
      name: '_rels/.rels',
      content: `<Relationships>${relation('r', 'officeDocument', '/word/document.xml')}</Relationships>`,
    },
    {
      name: 'word/_rels/document.xml.rels',
      content: `<Relationships>${relation('link1', 'hyperlink', 'https://b.example/?a=1&amp;b=2')}</Relationships>`,
    },
    {
      name: 'word/styles.xml',
      content: `<w:styles>${styles}<w:style w:styleId="Own"><w:name w:val="own"/><w:basedOn w:val="Heading2"/></w:style></w:styles>`,
    },
    {
      name: 'word/numbering.xml',
      content: `<w:numbering>${list(7, 'bullet')}${list(8, 'decimal')}${[7, 8].map((id) => `<w:num w:numId="${id - 6}"><w:abstractNumId w:val="${id}"/></w:num>`).join('')}</w:numbering>`,
    },
    {
      name: 'word/document.xml',
      content: `<?xml version="1.0"?><w:document><w:body>${body}</w:body></w:document>`,
    },
  ]);
}

export interface PdfLine {
  text: string;
  size: number;
  x: number;
  y: number;
}

/** A PDF with these lines on each page. */
export function pdfOf(pages: readonly (readonly PdfLine[])[]): Buffer {
  const shown = (text: string) => text.replace(/[\\()]/g, '\\$&').replace(/•/g, '\\225');
  return rawPdf(
    pages.map((lines) =>
      Buffer.from(
        lines
          .map(({ text, size, x, y }) => `BT /F1 ${size} Tf ${x} ${y} Td (${shown(text)}) Tj ET`)
          .join('\n'),
      ),
    ),
  );
}

/** A PDF whose pages have these content streams. */
export function rawPdf(contents: readonly Buffer[]): Buffer {
  const objects: Buffer[] = [];
  const add = (text: string, stream?: Buffer) => {
    const number = objects.length + 1;
    const packed = stream && deflateSync(stream);
    const head = packed ? `<< /Length ${packed.length} /Filter /FlateDecode >>\nstream\n` : `${text}\n`;
    const parts = [Buffer.from(`${number} 0 obj\n${head}`), packed ?? Buffer.alloc(0)];
    objects.push(Buffer.concat([...parts, Buffer.from(packed ? '\nendstream\nendobj\n' : 'endobj\n')]));
  };
  const kids = contents.map((_, at) => `${4 + at * 2} 0 R`).join(' ');
  add('<< /Type /Catalog /Pages 2 0 R >>');
  add(`<< /Type /Pages /Kids [${kids}] /Count ${contents.length} >>`);
  add('<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>');
  for (const [at, content] of contents.entries()) {
    add(
      `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents ${5 + at * 2} 0 R /Resources << /Font << /F1 3 0 R >> >> >>`,
    );
    add('', content);
  }
  const header = Buffer.from('%PDF-1.4\n');
  let at = header.length;
  const places = objects.map(({ length }) => {
    at += length;
    return String(at - length).padStart(10, '0');
  });
  const table = `xref\n0 ${objects.length + 1}\n0000000000 65535 f \n${places.map((place) => `${place} 00000 n \n`).join('')}`;
  const trailer = `trailer\n<< /Size ${objects.length + 1} /Root 1 0 R >>\nstartxref\n${at}\n%%EOF\n`;
  return Buffer.concat([header, ...objects, Buffer.from(table + trailer)]);
}
