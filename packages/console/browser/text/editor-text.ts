const en = {
  hint: 'Ctrl+Space offers what may stand at the cursor, with what it means. Tab leaves the text.',
  offers: 'What may stand here',
  offered: (n: number) => (n === 1 ? '1 suggestion' : `${n} suggestions`),
  problems: 'What is wrong with the text',
  line: (n: number) => `Line ${n}`,
  more: (n: number) => `and ${n} more`,
  field: 'A field has a colon and a value: name: value.',
  contact: 'Write contact: with a web page or an email address of yours.',
};

const de: typeof en = {
  hint: 'Strg+Leertaste zeigt, was an der Schreibmarke stehen kann und was es bedeutet. Tab verlässt den Text.',
  offers: 'Was hier stehen kann',
  offered: (n) => (n === 1 ? '1 Vorschlag' : `${n} Vorschläge`),
  problems: 'Was am Text nicht stimmt',
  line: (n) => `Zeile ${n}`,
  more: (n) => `und ${n} weitere`,
  field: 'Ein Feld hat einen Doppelpunkt und einen Wert: name: wert.',
  contact: 'Schreiben Sie contact: mit einer Webseite oder E-Mail-Adresse von Ihnen.',
};

export const editorText = { en, de };
