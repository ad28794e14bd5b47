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
const ESCAPE = /\\(?:([abfnrtv\\'"])|x([\da-fA-F]{2})|u([\da-fA-F]{4})|U([\da-fA-F]{8})|([0-7]{3}))/y

/** Returns the value of a literal `"..."`; undefined when it has an escape that Go does not know. */
export function stringValue(literal: string): string | undefined {
  const body = literal.slice(1, -1)
  if (!body.includes('\\')) return body
  const bytes: Uint8Array[] = []
  for (let at = 0; at < body.length; ) {
    if (body[at] !== '\\') {
      const next = body.indexOf('\\', at)
      const end = next < 0 ? body.length : next
      bytes.push(Buffer.from(body.slice(at, end)))
      at = end
      continue
    }
    const found = escapeAt(body, at, '"')
    if (!found) return undefined
    bytes.push(found.bytes)
    at += found.length
  }
  return Buffer.concat(bytes).toString()
}

/** Returns the code point of a literal `'x'`; undefined when it is not exactly one character. */
export function charValue(literal: string): number | undefined {
  const body = literal.slice(1, -1)
  if (body[0] !== '\\') {
    const point = body.codePointAt(0)
    return point !== undefined && String.fromCodePoint(point).length === body.length ? point : undefined
  }
  const found = escapeAt(body, 0, "'")
  return found && found.length === body.length ? found.point : undefined
}

interface Escape {
  readonly bytes: Uint8Array
  readonly point: number
  readonly length: number
}

function escapeAt(body: string, at: number, mark: string): Escape | undefined {
  ESCAPE.lastIndex = at
  const match = ESCAPE.exec(body)
  if (!match) return undefined
  const [whole, simple, hex, short, long, octal] = match
  if (simple === "'" || simple === '"')
    return simple === mark ? { bytes: Buffer.from(simple), point: simple.charCodeAt(0), length: 2 } : undefined
  if (simple) {
    const text = SIMPLE[simple] ?? simple
    return { bytes: Buffer.from(text), point: text.charCodeAt(0), length: 2 }
  }
  const point = octal ? Number.parseInt(octal, 8) : Number.parseInt(hex ?? short ?? long ?? '', 16)
  if (hex || octal) return point < 256 ? { bytes: Uint8Array.of(point), point, length: whole.length } : undefined
  if (point > 0x10ffff || (point >= 0xd800 && point < 0xe000)) return undefined
  return { bytes: Buffer.from(String.fromCodePoint(point)), point, length: whole.length }
}
