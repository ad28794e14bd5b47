/** Returns a text of at most `max` UTF-16 units; a longer one ends with …. */
export const cut = (text: string, max: number): string =>
  text.length <= max ? text : `${text.slice(0, max - 1).toWellFormed()}…`
