import { isUtf8 } from 'node:buffer'

const PART = /\\(?:x([0-9a-fA-F]{2})|([0-7]{3})|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|([abfnrtv\\"]))|([^\\"\n]+)/uy
const ESCAPED: { readonly [letter: string]: string } = {
  a: '\x07',
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
  v: '\v',
}
const MAX_RUNE = 0x10_ff_ff

/**
 * Reads a text in double quotes with the escapes of Go, of which `\x` and `\377` are bytes of UTF-8. Undefined: it is none,
 * or its bytes are not UTF-8.
 */
export function unquote(quoted: string): string | undefined {
  const inner = quoted.slice(1, -1)
  const bytes: Buffer[] = []
  PART.lastIndex = 0
  while (PART.lastIndex < inner.length) {
    const [, hex, octal, short, long, letter, plain] = PART.exec(inner) ?? []
    const byte = hex === undefined ? Number.parseInt(octal ?? '', 8) : Number.parseInt(hex, 16)
    const rune = Number.parseInt(short ?? long ?? '', 16)
    const text = letter === undefined ? plain : (ESCAPED[letter] ?? letter)
    if (byte <= 255) bytes.push(Buffer.of(byte))
    else if (rune <= MAX_RUNE && (rune < 0xd8_00 || rune > 0xdf_ff)) bytes.push(Buffer.from(String.fromCodePoint(rune)))
    else if (text !== undefined) bytes.push(Buffer.from(text))
    else return undefined
  }
  const all = Buffer.concat(bytes)
  return isUtf8(all) ? all.toString() : undefined
}

/** Returns a text in double quotes, as both grammars of matchers read it. */
export const quote = (text: string): string =>
  `"${text.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n')}"`
