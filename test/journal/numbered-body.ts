/** The body of the incident with this number, of up to 3 kB. */
export const bodyOf = (number: number): string => JSON.stringify({ number, rest: 'x'.repeat((number * 37) % 3_000) })
