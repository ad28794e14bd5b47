const SIMPLE: { readonly [letter: string]: string } = {
  a: '\x07',
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
  v: '\v',
  '\\': '\\',
}
const ESCAPE = /\\(?:([abfnrtv\\'"])|x([\da-fA-F]{2})|u([\da-fA-F]{4})|U([\da-fA-F]{8})|([0-7]{3}))?/g

/** Returns the value of a literal `"..."`, or of `'x'`; undefined when it has an escape that Go does not know. */
export function stringValue(literal: string): string | undefined {
  const [mark] = literal
  let isKnown = true
  const bytes = bytesOf(literal.slice(1, -1)).replace(ESCAPE, (whole, simple, hex, short, long, octal) => {
    if (simple) {
      if (simple === (mark === '"' ? "'" : '"')) isKnown = false
      return SIMPLE[simple] ?? simple
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
