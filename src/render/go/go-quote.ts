const PRINTABLE = /^[\p{L}\p{M}\p{N}\p{P}\p{S} ]$/u
const ESCAPES: { readonly [character: string]: string } = {
  '\x07': '\\a',
  '\b': '\\b',
  '\f': '\\f',
  '\n': '\\n',
  '\r': '\\r',
  '\t': '\\t',
  '\v': '\\v',
  '\\': '\\\\',
}

export const isPrintable = (character: string): boolean => PRINTABLE.test(character)

/** Quotes as Go's strconv.Quote does. */
export function goQuote(text: string, mark: '"' | "'"): string {
  let quoted: string = mark
  for (const character of text.toWellFormed())
    quoted += character === mark ? `\\${mark}` : (ESCAPES[character] ?? quoteCharacter(character))
  return quoted + mark
}

function quoteCharacter(character: string): string {
  const point = character.codePointAt(0) ?? 0
  if (isPrintable(character)) return character
  const hex = point.toString(16)
  if (point < 0x80) return `\\x${hex.padStart(2, '0')}`
  return point < 0x10000 ? `\\u${hex.padStart(4, '0')}` : `\\U${hex.padStart(8, '0')}`
}
