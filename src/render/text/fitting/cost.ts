import type { TextLimit } from '../../../domain/message.ts'
import type { Piece } from './piece.ts'

/** How one unit of a limit is counted. */
export interface Cost {
  of(text: string): number
  /** What a piece takes; differs from its text's cost where the provider does not count markup. */
  ofPiece(piece: Piece): number
  /** How many UTF-16 units of the beginning of `text` cost at most `room`. */
  prefixWithin(text: string, room: number): number
}

const utf16: Cost = {
  of: (text) => text.length,
  ofPiece: ({ text }) => text.length,
  prefixWithin: (text, room) => Math.min(room, text.length),
}

const visible: Cost = {
  of: (text) => text.length,
  ofPiece: (piece) => piece.visible,
  prefixWithin: utf16.prefixWithin,
}

/** Bytes inside the quotes of a JSON string. */
const jsonBytes: Cost = {
  of: (text) => Buffer.byteLength(JSON.stringify(text)) - '""'.length,
  ofPiece: ({ text }) => jsonBytes.of(text),
  prefixWithin: (text, room) =>
    text.length * ESCAPED <= room || jsonBytes.of(text) <= room ? text.length : unitsWithin(text, room),
}

export const COSTS: { readonly [unit in TextLimit['unit']]: Cost } = { utf16, visible, 'json-bytes': jsonBytes }

/** How much of `text` stays within `room` bytes as `JSON.stringify` writes it. */
function unitsWithin(text: string, room: number): number {
  let cost = 0
  let at = 0
  while (at < text.length) {
    const code = text.codePointAt(at) ?? 0
    cost += bytesOf(code)
    if (cost > room) break
    at += code > 0xffff ? 2 : 1
  }
  return at
}

/** No UTF-16 unit takes more. */
const ESCAPED = '\\u0000'.length
const ASCII = Uint8Array.from({ length: 0x80 }, (_, code) => JSON.stringify(String.fromCharCode(code)).length - 2)

function bytesOf(code: number): number {
  if (code < 0x80) return ASCII[code] ?? 1
  if (code < 0x800) return 2
  if (code > 0xffff) return 4
  return code >= 0xd800 && code <= 0xdfff ? ESCAPED : 3
}
