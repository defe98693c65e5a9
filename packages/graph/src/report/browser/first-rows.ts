/** Rows of a table that are visible before the reader asks for all of them. */
export const firstRows = 15;
