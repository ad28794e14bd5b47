/** What a character is to the scanner. Everything past ASCII is a letter. */
export const BLANK = 0
export const SEPARATOR = 1
export const LETTER = 2
export const DIGIT = 3
/** Punctuation that belongs to words: `.` `-` `_` `/` and the like. */
export const MARK = 4

const SEPARATORS = '=,;:()[]{}"\'<>|`'

/** By ASCII code. */
export const CHAR_CLASSES = Uint8Array.from({ length: 128 }, (_, code) => {
  const character = String.fromCharCode(code)
  if (code <= 32 || code === 127) return BLANK
  if (SEPARATORS.includes(character)) return SEPARATOR
  if (/[a-z]/i.test(character)) return LETTER
  return /\d/.test(character) ? DIGIT : MARK
})

/** Kind of a code unit; `NaN`, which is what lies past the end of a text, is blank. */
export function charClassOf(unit: number): number {
  if (unit < 128) return CHAR_CLASSES[unit] as number
  return unit >= 128 ? LETTER : BLANK
}

export const isDigit = (unit: number): boolean => unit >= 48 && unit <= 57
export const isUpper = (unit: number): boolean => unit >= 65 && unit <= 90
export const isHex = (unit: number): boolean =>
  isDigit(unit) || (unit >= 97 && unit <= 102) || (unit >= 65 && unit <= 70)
