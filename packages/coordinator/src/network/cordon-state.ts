/** What an operator decided. `cordoned`: takes nothing new. `draining`: also gives away what it has. */
export type CordonState = 'active' | 'cordoned' | 'draining';
