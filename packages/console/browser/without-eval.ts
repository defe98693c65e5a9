import { config } from 'zod';

// The content security policy allows no code that is made from text, which is how zod speeds itself up. It looks whether
// it may when the first schema is made, so this is the first import.
config({ jitless: true });
