import type { Escaping } from '../../../domain/delivery/message.ts'
import { type PieceSplitter, splitAt } from './piece.ts'

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
  return (text) => {
    let closers = ''
    const take = ([token]: RegExpExecArray) => {
      const next = closersAfter(closers, token)
      // For speed, line ends outside inline code are not pieces of their own.
      if (token === '\n' && next === closers) return undefined
      closers = next
      return {}
    }
    return splitAt(TOKENS[escaping], text, () => closers, take)
  }
}

const FENCE_END = '\n```'

/** Returns the closers after `token`, given those before it. Inline code ends with its line. */
function closersAfter(closers: string, token: string): string {
  if (token === '```') return closers === FENCE_END ? '' : FENCE_END
  if (closers === FENCE_END) return closers
  if (token === '`') return closers === '`' ? '' : '`'
  return token === '\n' ? '' : closers
}
