/** How far a worker is believed: one of the operator's own, or a stranger's. Its token decides, never its word. */
export type Trust = 'own' | 'volunteer';
