/** An item that cannot be made of its page: the page has failed(item-invalid), and the message says which field and why. */
export class ItemProblem extends Error {}
