/**
 * Replaces the leading dot of `{{.Path}}`. A Unicode noncharacter: Handlebars reads it as a letter, and texts do not
 * contain it.
 */
export const DOT = '\ufdd0'

/** Maximum nesting of blocks or parentheses; bounds the stack of recursive functions. */
const MAX_DEPTH = 200

/** Nesting above `MAX_DEPTH`, found before Handlebars parses the text. */
export class NestingError extends Error {
  /** Offset in the text, in UTF-16 units. */
  readonly at: number
  constructor(at: number) {
    super(`nested deeper than ${MAX_DEPTH} levels`)
    this.at = at
  }
}

const OPENING = /\\*\{\{/g
const PIECE = /"[^"]*"|'[^']*'|\[[^\]]*\]|[()]|\}\}|\.(?=[\p{L}_$])/gu
const BEFORE_PATH = /[\s({=#^&~|/]/

/**
 * Replaces the leading dots of paths by `DOT`, one character for another, so that positions in the text stay the same.
 * Throws `NestingError`.
 */
export function markDots(text: string): string {
  const marked: string[] = []
  const nesting = new Nesting()
  let done = 0
  OPENING.lastIndex = 0
  for (let open = OPENING.exec(text); open; open = OPENING.exec(text)) {
    if (open[0].startsWith('\\') && open[0].length % 2 === 1) continue
    const start = OPENING.lastIndex
    const comment = commentEnd(text, start)
    if (comment === undefined) nesting.action(text, start)
    const end = comment ?? mustacheEnd(text, start, { marked, from: done, nesting })
    if (comment === undefined) done = end
    OPENING.lastIndex = Math.max(end, start)
  }
  marked.push(text.slice(done))
  return marked.join('')
}

/** Returns the end of a comment that starts at `start`; undefined when none does. */
function commentEnd(text: string, start: number): number | undefined {
  const comment = /^~?!(--)?/.exec(text.slice(start, start + 4))
  if (!comment) return undefined
  const end = text.indexOf(comment[1] ? '--}}' : '}}', start)
  return end < 0 ? text.length : end
}

function mustacheEnd(text: string, start: number, into: { marked: string[]; from: number; nesting: Nesting }): number {
  let done = into.from
  let parens = 0
  PIECE.lastIndex = start
  for (let piece = PIECE.exec(text); piece; piece = PIECE.exec(text)) {
    const at = piece.index
    if (piece[0] === '}}') {
      into.marked.push(text.slice(done, at))
      return at
    }
    if (piece[0] === '(' && ++parens > MAX_DEPTH) throw new NestingError(at)
    if (piece[0] === ')') parens--
    if (piece[0] === '.' && BEFORE_PATH.test(text[at - 1] ?? '')) {
      into.marked.push(text.slice(done, at), DOT)
      done = at + 1
    }
  }
  into.marked.push(text.slice(done))
  return text.length
}

/** Depth of open blocks. Every `{{else if}}` nests one level deeper until its block ends. */
class Nesting {
  private readonly blocks: number[] = []
  private depth = 0

  action(text: string, start: number): void {
    const [, sigil, word] = /^~?\s*([#^/]?)\s*(else\b\s*\w)?/.exec(text.slice(start, start + 40)) ?? []
    if (sigil === '/') this.depth -= this.blocks.pop() ?? 0
    else if (sigil) this.blocks.push(this.deeper(start))
    else if (word && this.blocks.length > 0) this.blocks.push((this.blocks.pop() ?? 0) + this.deeper(start))
  }

  private deeper(at: number): number {
    if (++this.depth > MAX_DEPTH) throw new NestingError(at)
    return 1
  }
}
