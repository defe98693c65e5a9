/** Why the rest of a document was left out. */
export type Cut = 'elements' | 'text';

/**
 * What is worked on of one document, whatever its format: all that builds a tree of it draws on the same. It counts and
 * looks at no clock, so that a document gives the same text on every machine.
 */
export interface Budget {
  /** Elements and texts that may still be added. */
  nodes: number;
  /** Characters of texts and attributes. */
  characters: number;
  /** Set once it is spent. */
  cut: Cut | undefined;
}

/** Each of the readers takes up to a quarter of a second for so many. Pages of books and of long lists have fewer. */
export const maxNodes = 100_000;
/** A book has as many. */
const maxCharacters = 2_000_000;
/** An attribute costs this much beside its text. */
const attributeCharacters = 4;

export function createBudget(nodes = maxNodes): Budget {
  return { nodes, characters: maxCharacters, cut: undefined };
}

/** Ends the reading of a document that has more. */
export class BudgetSpent extends Error {}

export function spendNode(budget: Budget): void {
  if (--budget.nodes < 0) end(budget, 'elements');
}

export function spendAttribute(budget: Budget, length: number): void {
  budget.characters -= length + attributeCharacters;
  if (budget.characters < 0) end(budget, 'text');
}

/** Hands on as much of a text of so many characters as there is a budget for. */
export function spendText(budget: Budget, length: number, add: (length: number) => void): void {
  const rest = budget.characters;
  budget.characters -= length;
  add(Math.min(length, rest));
  if (budget.characters < 0) end(budget, 'text');
}

function end(budget: Budget, cut: Cut): never {
  budget.cut = cut;
  throw new BudgetSpent();
}

/** Until the budget is spent. */
export function withinBudget(read: () => void): void {
  try {
    read();
  } catch (error) {
    if (!(error instanceof BudgetSpent)) throw error;
  }
}
