import { scanNumber } from './number-literal.ts'

type TokenKind =
  | 'text'
  | 'open'
  | 'close'
  | 'space'
  | 'assign'
  | 'declare'
  | 'pipe'
  | 'comma'
  | '('
  | ')'
  | 'string'
  | 'raw'
  | 'char'
  | 'number'
  | 'variable'
  | 'field'
  | 'dot'
  | 'bool'
  | 'keyword'
  | 'identifier'
  | 'eof'

export interface Token {
  readonly kind: TokenKind
  readonly text: string
  /** Offset in the template's text, in UTF-16 units. */
  readonly at: number
}

/** A syntax error at an offset of the text; the compiler converts it to a `TemplateSyntaxError`. */
export class GoSyntaxError extends Error {
  readonly at: number
  constructor(at: number, reason: string) {
    super(reason)
    this.at = at
  }
}

const MAX_QUOTED_LENGTH = 40

/** Quotes a part of a template for an error message: escaped, cut to 40 characters. */
export function quote(text: string, mark = '"'): string {
  const shown = text.length > MAX_QUOTED_LENGTH ? `${text.slice(0, MAX_QUOTED_LENGTH)}…` : text
  const body = JSON.stringify(shown.toWellFormed()).slice(1, -1)
  return mark === '"' ? `"${body}"` : `${mark}${body.replaceAll('\\"', '"')}${mark}`
}

const OPEN = '{{'
const CLOSE = '}}'
const TRIM = ' \t\r\n'
const WORD = /[\p{L}\p{Nd}_]/u
const WORDS = new Set(['block', 'break', 'continue', 'define', 'else', 'end', 'if', 'range', 'nil', 'template', 'with'])

/**
 * Splits the text of a template into tokens by the rules of Go's text/template, and reads them in order. All methods
 * throw `GoSyntaxError`.
 */
export class Lexer {
  /** Offset of the token that was read last. */
  protected lastAt = 0
  private readonly text: string
  private at = 0
  private parens = 0
  private inAction = false
  /** Tokens that come next, before the rest of the text. */
  private readonly queue: Token[] = []

  constructor(text: string) {
    this.text = text
  }

  protected next(): Token {
    while (this.queue.length === 0 && !this.inAction && this.at < this.text.length) this.content()
    const end: Token = { kind: 'eof', text: '', at: this.text.length }
    const token = this.queue.shift() ?? (this.inAction ? this.actionToken() : end)
    this.lastAt = token.at
    return token
  }

  /** Puts tokens back, the one that comes next first. */
  protected back(...tokens: Token[]): void {
    this.queue.unshift(...tokens)
  }

  protected peek(): Token {
    const token = this.next()
    this.back(token)
    return token
  }

  /** Returns the next token that is not white space. */
  protected nextSolid(): Token {
    const token = this.next()
    return token.kind === 'space' ? this.next() : token
  }

  protected expect(kind: TokenKind, context: string): void {
    const token = this.nextSolid()
    if (token.kind !== kind) throw unexpected(token, context)
  }

  /** Reads the text up to the next action, trimmed by its markers, then the start of the action or a whole comment. */
  private content(): void {
    const start = this.at
    const open = this.text.indexOf(OPEN, start)
    if (open < 0) {
      this.at = this.text.length
      this.queue.push({ kind: 'text', text: this.text.slice(start), at: start })
      return
    }
    const trims = this.leftTrim(open + OPEN.length)
    const value = trims ? trimRight(this.text.slice(start, open)) : this.text.slice(start, open)
    if (value !== '') this.queue.push({ kind: 'text', text: value, at: start })
    this.at = open + OPEN.length + (trims ? 2 : 0)
    if (this.text.startsWith('/*', this.at)) return this.comment()
    if (trims) this.at -= 1
    this.inAction = true
    this.parens = 0
    this.queue.push({ kind: 'open', text: OPEN, at: open })
  }

  private comment(): void {
    const start = this.at
    const end = this.text.indexOf('*/', start)
    if (end < 0) throw new GoSyntaxError(start, 'unclosed comment')
    this.at = end + 2
    if (!this.close()) throw new GoSyntaxError(start, 'comment ends before closing delimiter')
  }

  private leftTrim(at: number): boolean {
    return this.text[at] === '-' && isSpace(this.text[at + 1])
  }

  /** Consumes `}}` or ` -}}` with the white space that it trims. Returns false when neither is next. */
  private close(): boolean {
    const trims = isSpace(this.text[this.at]) && this.text.startsWith(`-${CLOSE}`, this.at + 1)
    if (!trims && !this.text.startsWith(CLOSE, this.at)) return false
    this.at += trims ? 4 : 2
    while (trims && isSpace(this.text[this.at])) this.at++
    return true
  }

  private actionToken(): Token {
    const start = this.at
    if (this.close()) {
      if (this.parens > 0) throw new GoSyntaxError(start, 'unclosed left paren')
      this.inAction = false
      return { kind: 'close', text: CLOSE, at: start }
    }
    const c = this.text[start]
    if (c === undefined) throw new GoSyntaxError(start, 'unclosed action')
    if (isSpace(c)) return this.space()
    return this.punctuation(c) ?? this.operandToken(c)
  }

  private space(): Token {
    const start = this.at
    let end = start
    while (isSpace(this.text[end])) end++
    if (this.text.startsWith(`-${CLOSE}`, end)) end--
    if (end === start) {
      this.at = start
      return this.actionToken()
    }
    this.at = end
    return { kind: 'space', text: this.text.slice(start, end), at: start }
  }

  private punctuation(c: string): Token | undefined {
    switch (c) {
      case '=':
        return this.take('assign', 1)
      case ':':
        if (this.text[this.at + 1] !== '=') throw new GoSyntaxError(this.at, 'expected :=')
        return this.take('declare', 2)
      case '|':
        return this.take('pipe', 1)
      case ',':
        return this.take('comma', 1)
      case '(':
        this.parens++
        return this.take('(', 1)
      case ')':
        if (this.parens === 0) throw new GoSyntaxError(this.at, 'unexpected right paren')
        this.parens--
        return this.take(')', 1)
      default:
        return undefined
    }
  }

  private operandToken(c: string): Token {
    if (c === '"') return this.quoted('string', '"', 'unterminated quoted string')
    if (c === "'") return this.quoted('char', "'", 'unterminated character constant')
    if (c === '`') return this.raw()
    if (c === '$') return this.wordAfter('variable')
    if (c === '.' && !isDigit(this.text[this.at + 1])) return this.wordAfter('field')
    if (c === '.' || c === '+' || c === '-' || isDigit(c)) return this.number()
    const first = characterAt(this.text, this.at)
    if (WORD.test(first)) return this.identifier()
    throw new GoSyntaxError(this.at, `unexpected bad character ${describe(first)} in action`)
  }

  /** Reads `$name` or `.name`; without a name they are the variable `$` and the dot. */
  private wordAfter(kind: 'variable' | 'field'): Token {
    const start = this.at
    const end = this.wordEnd(start + 1)
    this.at = end
    this.terminated()
    const text = this.text.slice(start, end)
    return { kind: kind === 'field' && end === start + 1 ? 'dot' : kind, text, at: start }
  }

  private identifier(): Token {
    const start = this.at
    this.at = this.wordEnd(start)
    this.terminated()
    const text = this.text.slice(start, this.at)
    if (text === 'true' || text === 'false') return { kind: 'bool', text, at: start }
    return { kind: WORDS.has(text) ? 'keyword' : 'identifier', text, at: start }
  }

  private wordEnd(from: number): number {
    let at = from
    while (at < this.text.length) {
      const c = characterAt(this.text, at)
      if (!WORD.test(c)) break
      at += c.length
    }
    return at
  }

  /** Throws unless the next character can end a word. */
  private terminated(): void {
    const c = this.text[this.at]
    if (c === undefined || isSpace(c) || '.,|:()'.includes(c) || this.text.startsWith(CLOSE, this.at)) return
    throw new GoSyntaxError(this.at, `bad character ${describe(characterAt(this.text, this.at))}`)
  }

  private quoted(kind: 'string' | 'char', end: string, reason: string): Token {
    const start = this.at
    for (let at = start + 1; at < this.text.length && this.text[at] !== '\n'; at++) {
      if (this.text[at] === end) return this.take(kind, at + 1 - start)
      if (this.text[at] === '\\') at++
      if (this.text[at] === '\n') break
    }
    throw new GoSyntaxError(start, reason)
  }

  private raw(): Token {
    const end = this.text.indexOf('`', this.at + 1)
    if (end < 0) throw new GoSyntaxError(this.at, 'unterminated raw quoted string')
    return this.take('raw', end + 1 - this.at)
  }

  private number(): Token {
    const { length, complete } = scanNumber(this.text, this.at)
    if (!complete)
      throw new GoSyntaxError(this.at, `bad number syntax: ${quote(this.text.slice(this.at, this.at + length))}`)
    return this.take('number', length)
  }

  private take(kind: Token['kind'], length: number): Token {
    const at = this.at
    this.at += length
    return { kind, text: this.text.slice(at, this.at), at }
  }
}

const isSpace = (c: string | undefined) => c !== undefined && TRIM.includes(c)
const isDigit = (c: string | undefined) => c !== undefined && c >= '0' && c <= '9'
const characterAt = (text: string, at: number) => String.fromCodePoint(text.codePointAt(at) ?? 0xfffd)
const describe = (c: string) =>
  `U+${(c.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')} ${quote(c, "'")}`

function trimRight(text: string): string {
  let end = text.length
  while (isSpace(text[end - 1])) end--
  return text.slice(0, end)
}

export function unexpected(token: Token, context: string): GoSyntaxError {
  const shown = token.kind === 'eof' ? 'EOF' : quote(token.text)
  return new GoSyntaxError(token.at, `unexpected ${shown} in ${context}`)
}
