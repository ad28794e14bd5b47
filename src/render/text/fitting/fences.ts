import type { Escaping } from '../../../domain/delivery/message.ts'
import { type Piece, type PieceSplitter, piece } from './piece.ts'

/** Tokens that must not be cut, and those that open or close code. Plain text may be read as Markdown. */
const TOKENS = {
  chat: /```|[`\n]|<[^<>\n]{1,3000}>|&(?:amp|lt|gt);/g,
  markdown: /```|[`\n]|&(?:\w{2,8}|#\d{1,7});/g,
  none: /```|[`\n]/g,
}

/**
 * Creates a splitter for chat markup, Markdown and plain text. Code fences and inline code are closed where the text is
 * cut.
 */
export function splitFences(escaping: Exclude<Escaping, 'html'>): PieceSplitter {
  return (text) => pieces(text, new RegExp(TOKENS[escaping]))
}

const FENCE_END = '\n```'

function* pieces(text: string, scanner: RegExp): Generator<Piece, void> {
  let closers = ''
  let done = 0
  for (let token = scanner.exec(text); token !== null; token = scanner.exec(text)) {
    const next = closersAfter(closers, token[0])
    // For speed, line ends outside inline code are not pieces of their own.
    if (token[0] === '\n' && next === closers) continue
    if (token.index > done) yield piece(text.slice(done, token.index), done, { atomic: false, closers })
    closers = next
    done = scanner.lastIndex
    yield piece(token[0], token.index, { atomic: true, closers })
  }
  if (done < text.length) yield piece(text.slice(done), done, { atomic: false, closers })
}

/** Returns the closers after `token`, given those before it. Inline code ends with its line. */
function closersAfter(closers: string, token: string): string {
  if (token === '```') return closers === FENCE_END ? '' : FENCE_END
  if (closers === FENCE_END) return closers
  if (token === '`') return closers === '`' ? '' : '`'
  return token === '\n' ? '' : closers
}
