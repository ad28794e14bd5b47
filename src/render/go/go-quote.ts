const PRINTABLE = /^[\p{L}\p{M}\p{N}\p{P}\p{S} ]$/u
/** Letters of escapes, by their characters. */
const ESCAPES = new Map([...'abfnrtv\\'].map((letter, at) => ['\x07\b\f\n\r\t\v\\'.charAt(at), letter]))
const ESCAPED = new Map(Array.from(ESCAPES, ([character, letter]) => [letter, character]))

export const isPrintable = (character: string): boolean => PRINTABLE.test(character)

/** Quotes as Go's strconv.Quote does. */
export function goQuote(text: string, mark: '"' | "'"): string {
  let quoted: string = mark
  for (const character of text.toWellFormed()) quoted += character === mark ? `\\${mark}` : quoteCharacter(character)
  return quoted + mark
}

function quoteCharacter(character: string): string {
  const letter = ESCAPES.get(character)
  if (letter !== undefined) return `\\${letter}`
  if (isPrintable(character)) return character
  const point = character.codePointAt(0) ?? 0
  const hex = point.toString(16)
  if (point < 0x80) return `\\x${hex.padStart(2, '0')}`
  return point < 0x10000 ? `\\u${hex.padStart(4, '0')}` : `\\U${hex.padStart(8, '0')}`
}

const ESCAPE = /\\(?:([abfnrtv\\'"])|x([\da-fA-F]{2})|u([\da-fA-F]{4})|U([\da-fA-F]{8})|([0-7]{3}))?/g

/** Returns the value of a literal `"..."`, or of `'x'`; undefined when it has an escape that Go does not know. */
export function stringValue(literal: string): string | undefined {
  const [mark] = literal
  let isKnown = true
  const bytes = bytesOf(literal.slice(1, -1)).replace(ESCAPE, (whole, simple, hex, short, long, octal) => {
    if (simple) {
      if (simple === (mark === '"' ? "'" : '"')) isKnown = false
      return ESCAPED.get(simple) ?? simple
    }
    const byte = hex ? Number.parseInt(hex, 16) : octal ? Number.parseInt(octal, 8) : undefined
    const point = byte ?? Number.parseInt(short ?? long, 16)
    if (whole === '\\' || point > (byte === undefined ? 0x10ffff : 0xff) || (point >= 0xd800 && point < 0xe000)) {
      isKnown = false
      return ''
    }
    return byte === undefined ? bytesOf(String.fromCodePoint(point)) : String.fromCharCode(byte)
  })
  return isKnown ? Buffer.from(bytes, 'latin1').toString() : undefined
}

/** Returns the UTF-8 bytes of a text as characters. */
const bytesOf = (text: string) => Buffer.from(text).toString('latin1')

/** Returns the code point of a literal `'x'`; undefined when it is not exactly one character. */
export function charValue(literal: string): number | undefined {
  const [character, ...rest] = stringValue(literal) ?? ''
  return rest.length === 0 && character !== '\ufffd' ? character?.codePointAt(0) : undefined
}
