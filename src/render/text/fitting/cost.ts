import type { TextLimit } from '../../../domain/delivery/message.ts'
import type { Piece } from './piece.ts'

/** Counts a text in one unit of a limit. */
export interface Cost {
  of(text: string): number
  /** Cost of a piece; lower than that of its text where the provider does not count markup. */
  ofPiece(piece: Piece): number
  /** Returns the length, in UTF-16 units, of the longest prefix of `text` that costs at most `room`. */
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

/** UTF-8 bytes of a JSON string without its quotes. */
const jsonBytes: Cost = {
  of: (text) => Buffer.byteLength(JSON.stringify(text)) - '""'.length,
  ofPiece: ({ text }) => jsonBytes.of(text),
  prefixWithin: (text, room) =>
    text.length * ESCAPED <= room || jsonBytes.of(text) <= room ? text.length : unitsWithin(text, room),
}

export const COSTS: { readonly [unit in TextLimit['unit']]: Cost } = { utf16, visible, 'json-bytes': jsonBytes }

/** Returns the length of the longest prefix of `text` with at most `room` bytes of JSON. */
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

/** Maximum bytes of one UTF-16 unit. */
const ESCAPED = '\\u0000'.length
const ASCII = Uint8Array.from({ length: 0x80 }, (_, code) => JSON.stringify(String.fromCharCode(code)).length - 2)

function bytesOf(code: number): number {
  if (code < 0x80) return ASCII[code] ?? 1
  if (code < 0x800) return 2
  if (code > 0xffff) return 4
  return code >= 0xd800 && code <= 0xdfff ? ESCAPED : 3
}
