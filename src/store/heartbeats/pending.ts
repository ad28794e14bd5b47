/**
 * Incidents that are pending, in order: f, firing, and r, resolved. On disk it is the place in this list. A failure and a
 * sign of life that would make it longer cancel each other.
 */
export const PENDING = ['', 'r', 'f', 'fr', 'rf', 'rfr', 'frf', 'frfr'] as const
export type Pending = (typeof PENDING)[number]
