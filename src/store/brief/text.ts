/** Characters of a text of others in a brief. */
const LONGEST = 280

/** Cuts a text to 280 characters. */
export const cut = (text: string): string => (text.length <= LONGEST ? text : `${text.slice(0, LONGEST - 1)}…`)
