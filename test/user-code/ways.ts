/** How code can go wrong when it is called. */
export type Way =
  | 'throws'
  | 'rejects'
  | 'later'
  | 'text'
  | 'nothing'
  | 'getters'
  | 'proxy'
  | 'thenable'
  | 'nonsense'
  | 'never';

/** Throwing, in all forms that JavaScript has. */
export const throwing: readonly Way[] = [
  'throws',
  'rejects',
  'later',
  'text',
  'nothing',
  'getters',
  'proxy',
  'thenable',
];
export const allWays: readonly Way[] = [...throwing, 'nonsense', 'never'];

/** Errors that know where they came from: the record must say file and line. */
export const placed: readonly Way[] = ['throws', 'rejects', 'later'];

const fault = (): Error => new Error('own bug');

/** An object that throws whatever is done with it. */
const hostile = (): object => {
  const refuse = (): never => {
    throw fault();
  };
  return new Proxy({}, { get: refuse, has: refuse, getPrototypeOf: refuse, ownKeys: refuse });
};

const withGetters = (): object => {
  const error = new Error('never read');
  for (const name of ['message', 'stack', 'name'])
    Object.defineProperty(error, name, {
      get() {
        throw fault();
      },
    });
  return error;
};

/** Goes wrong; `nonsense` is what a call answers that must answer something else. */
export function goWrong(way: Way, nonsense: unknown): unknown {
  switch (way) {
    case 'throws':
      throw fault();
    case 'rejects':
      return Promise.reject(fault());
    case 'later':
      return new Promise((_, reject) => setTimeout(() => reject(fault()), 5));
    case 'text':
      throw 'own words';
    case 'nothing':
      throw undefined;
    case 'getters':
      throw withGetters();
    case 'proxy':
      throw hostile();
    case 'thenable':
      // oxlint-disable-next-line unicorn/no-thenable -- what user code may answer
      return Object.defineProperty({}, 'then', {
        value() {
          throw fault();
        },
      });
    case 'nonsense':
      return nonsense;
    case 'never':
      return new Promise(() => undefined);
  }
}

/** The way that a URL of the lab names: `/bad/throws`. */
export function wayIn(url: string): Way | undefined {
  return (/\/bad\/(\w+)$/.exec(url)?.[1] ?? undefined) as Way | undefined;
}
