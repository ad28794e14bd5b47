/** Classes of characters for the scanner. All characters beyond ASCII are letters. */
export const BLANK = 0
export const SEPARATOR = 1
export const LETTER = 2
export const DIGIT = 3
/** Punctuation that is part of words, such as `.` `-` `_` `/`. */
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

/** Returns the class of a UTF-16 unit. `NaN`, which `charCodeAt` returns past the end, is blank. */
export function charClassOf(unit: number): number {
  if (unit < 128) return CHAR_CLASSES[unit] as number
  return unit >= 128 ? LETTER : BLANK
}

export const isDigit = (unit: number): boolean => unit >= 48 && unit <= 57
export const isUpper = (unit: number): boolean => unit >= 65 && unit <= 90
export const isHex = (unit: number): boolean =>
  isDigit(unit) || (unit >= 97 && unit <= 102) || (unit >= 65 && unit <= 70)
