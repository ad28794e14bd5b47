/** Shorter slices are copies already. */
const MIN_SLICE_LENGTH = 13

/** Copies a text, because a slice of a string in V8 keeps the whole string in memory. */
export function copyString(text: string): string {
  return text.length < MIN_SLICE_LENGTH ? text : ` ${text}`.slice(1)
}
