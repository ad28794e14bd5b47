import { Lexer } from './lexer.ts'
import { GoSyntaxError, quote, type Token, type TokenKind } from './token.ts'

/** Reads the tokens of a text in order. Tokens can be put back into `ahead`. */
export class TokenReader {
  protected readonly ahead: Token[] = []
  /** Offset of the token that was read last. */
  protected lastAt = 0
  private readonly lexer: Lexer

  constructor(text: string) {
    this.lexer = new Lexer(text)
  }

  protected next(): Token {
    const token = this.ahead.shift() ?? this.lexer.next()
    this.lastAt = token.at
    return token
  }

  protected peek(): Token {
    const token = this.next()
    this.ahead.unshift(token)
    return token
  }

  /** Returns the next token that is not white space. */
  protected nextSolid(): Token {
    const token = this.next()
    return token.kind === 'space' ? this.next() : token
  }

  protected peekSolid(): Token {
    const token = this.nextSolid()
    this.ahead.unshift(token)
    return token
  }

  protected expect(kind: TokenKind, context: string): void {
    const token = this.nextSolid()
    if (token.kind !== kind) throw unexpected(token, context)
  }
}

export function unexpected(token: Token, context: string): GoSyntaxError {
  if (token.kind === 'eof') return new GoSyntaxError(token.at, `unexpected EOF in ${context}`)
  return new GoSyntaxError(token.at, `unexpected ${quote(token.text)} in ${context}`)
}
