import type { TextLimit } from '../../domain/message.ts'
import type { Piece } from './piece.ts'

/** How one unit of a limit is counted. */
export interface Cost {
  of(text: string): number
  /** What a piece takes; differs from its text's cost where the provider does not count markup. */
  ofPiece(piece: Piece): number
  /** How many UTF-16 units of the beginning of `text` cost at most `room`. */
  within(text: string, room: number): number
}

const utf16: Cost = {
  of: (text) => text.length,
  ofPiece: ({ text }) => text.length,
  within: (text, room) => Math.min(room, text.length),
}

const visible: Cost = {
  of: (text) => text.length,
  ofPiece: (piece) => piece.visible,
  within: utf16.within,
}

const jsonBytes: Cost = {
  of: (text) => count(text, Number.POSITIVE_INFINITY).cost,
  ofPiece: ({ text }) => jsonBytes.of(text),
  within: (text, room) => count(text, room).units,
}

export const COSTS: { readonly [unit in TextLimit['unit']]: Cost } = { utf16, visible, 'json-bytes': jsonBytes }

/** Bytes of `text` inside the quotes of a JSON string, as `JSON.stringify` writes it, as far as they stay within `room`. */
function count(text: string, room: number): { units: number; cost: number } {
  let cost = 0
  let at = 0
  while (at < text.length) {
    const code = text.codePointAt(at) ?? 0
    const bytes = bytesOf(code)
    if (cost + bytes > room) break
    cost += bytes
    at += code > 0xffff ? 2 : 1
  }
  return { units: at, cost }
}

const SHORT_ESCAPES = new Set([...'"\\\b\f\n\r\t'].map((character) => character.charCodeAt(0)))
const ESCAPED = '\\u0000'.length

function bytesOf(code: number): number {
  if (code < 0x80) {
    if (SHORT_ESCAPES.has(code)) return 2
    return code < 0x20 ? ESCAPED : 1
  }
  if (code < 0x800) return 2
  if (code > 0xffff) return 4
  return code >= 0xd800 && code <= 0xdfff ? ESCAPED : 3
}
