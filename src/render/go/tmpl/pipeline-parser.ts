import { charValue, stringValue } from '../go-quote.ts'
import type { Command, Operand, Pipe } from './ast.ts'
import { GoSyntaxError, Lexer, quote, type Token, type TokenKind } from './lexer.ts'
import { numberValue } from './number-literal.ts'

/** Reads the tokens of a text in order. Tokens can be put back into `ahead`. */
class TokenReader {
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

/** Maximum nesting of blocks, parentheses and pipelines; bounds the stack of recursive functions. */
const MAX_DEPTH = 200

/** Parses the content of an action: declarations, commands and operands. */
export class PipelineParser extends TokenReader {
  /** Names of the variables in scope, innermost last. */
  protected variables: string[] = ['$']
  private depth = 0
  private readonly isFunction: (name: string) => boolean

  constructor(text: string, isFunction: (name: string) => boolean) {
    super(text)
    this.isFunction = isFunction
  }

  protected pipeline(context: string, end: 'close' | ')'): Pipe {
    const at = this.peekSolid().at
    const { variables, declares } = this.declarations(context)
    const commands: Command[] = []
    for (;;) {
      const token = this.nextSolid()
      if (token.kind === end) break
      this.ahead.unshift(token)
      if (!STARTS_OPERAND.has(token.kind) && !isNil(token)) throw unexpected(this.next(), context)
      commands.push(this.command())
      if (commands.length > MAX_DEPTH) throw new GoSyntaxError(token.at, `pipeline longer than ${MAX_DEPTH} commands`)
    }
    this.check(commands, context, at)
    this.variables.push(...(declares ? variables : []))
    return { at, variables, declares, commands }
  }

  private check(commands: readonly Command[], context: string, at: number): void {
    if (commands.length === 0) throw new GoSyntaxError(at, `missing value for ${context}`)
    commands.slice(1).forEach((command, index) => {
      const first = command.operands[0]
      if (first && ['bool', 'dot', 'nil', 'number', 'string'].includes(first.kind))
        throw new GoSyntaxError(first.at, `non executable command in pipeline stage ${index + 2}`)
    })
  }

  /** Parses `$x :=`, `$x =`, and in range `$i, $x :=`. Consumes no token when there is no declaration. */
  private declarations(context: string): { variables: string[]; declares: boolean } {
    const variables: string[] = []
    for (;;) {
      const variable = this.nextSolid()
      if (variable.kind !== 'variable') {
        this.ahead.unshift(variable)
        return this.noOperator(variables, variable)
      }
      const space = this.peek().kind === 'space' ? [this.next()] : []
      const operator = this.next()
      const ranged = context === 'range' && variables.length < 2
      if (operator.kind === 'declare' || operator.kind === 'assign') {
        variables.push(variable.text)
        this.declarable(variables, operator, context)
        if (operator.kind === 'assign') for (const name of variables) this.known(name, variable.at)
        return { variables, declares: operator.kind === 'declare' }
      }
      if (operator.kind === 'comma') {
        if (!ranged) throw new GoSyntaxError(operator.at, `too many declarations in ${context}`)
        variables.push(variable.text)
        if (variables.length === 2) throw new GoSyntaxError(operator.at, 'too many declarations in range')
        continue
      }
      this.ahead.unshift(variable, ...space, operator)
      return this.noOperator(variables, operator)
    }
  }

  private noOperator(variables: string[], token: Token): { variables: string[]; declares: boolean } {
    if (variables.length > 0) throw new GoSyntaxError(token.at, 'range can only initialize variables')
    return { variables: [], declares: false }
  }

  private declarable(variables: readonly string[], operator: Token, context: string): void {
    if (variables.length > 1 && context !== 'range')
      throw new GoSyntaxError(operator.at, `too many declarations in ${context}`)
  }

  private command(): Command {
    const operands: Operand[] = []
    const at = this.peekSolid().at
    for (;;) {
      operands.push(this.operand())
      const token = this.next()
      if (token.kind === 'space') {
        const after = this.peek()
        if (STARTS_OPERAND.has(after.kind) || isNil(after)) continue
        const end = this.next()
        if (end.kind === 'pipe') return { at, operands }
        if (end.kind !== 'close' && end.kind !== ')') throw unexpected(end, 'operand')
        this.ahead.unshift(end)
        return { at, operands }
      }
      if (token.kind === 'pipe') return { at, operands }
      if (token.kind !== 'close' && token.kind !== ')') throw unexpected(token, 'operand')
      this.ahead.unshift(token)
      return { at, operands }
    }
  }

  private operand(): Operand {
    const base = this.term()
    if (this.peek().kind !== 'field') return base
    const names: string[] = []
    while (this.peek().kind === 'field') names.push(this.next().text.slice(1))
    switch (base.kind) {
      case 'field':
      case 'variable':
        return { ...base, names: [...base.names, ...names] }
      case 'bool':
      case 'string':
      case 'number':
      case 'nil':
      case 'dot':
        throw new GoSyntaxError(base.at, `unexpected . after term`)
      default:
        return { kind: 'chain', at: base.at, base, names }
    }
  }

  private term(): Operand {
    const token = this.nextSolid()
    const { at, text } = token
    switch (token.kind) {
      case 'identifier':
        if (!this.isFunction(text)) throw new GoSyntaxError(at, `function ${quote(text)} not defined`)
        return { kind: 'identifier', at, name: text }
      case 'dot':
        return { kind: 'dot', at }
      case 'variable':
        this.known(text, at)
        return { kind: 'variable', at, name: text, names: [] }
      case 'field':
        return { kind: 'field', at, names: [text.slice(1)] }
      case 'bool':
        return { kind: 'bool', at, value: text === 'true' }
      case '(':
        return this.deeper(at, () => ({ kind: 'pipe', at, pipe: this.pipeline('parenthesized pipeline', ')') }))
      case 'string':
        return { kind: 'string', at, value: this.unquoted(token) }
      case 'raw':
        return { kind: 'string', at, value: text.slice(1, -1).replaceAll('\r', '') }
      case 'char':
      case 'number':
        return { kind: 'number', at, value: this.numeric(token) }
      default:
        if (isNil(token)) return { kind: 'nil', at }
        throw unexpected(token, 'operand')
    }
  }

  private numeric({ kind, text, at }: Token): unknown {
    const value = kind === 'char' ? charValue(text) : numberValue(text)
    if (value === undefined)
      throw new GoSyntaxError(
        at,
        kind === 'char' ? `malformed character constant: ${text}` : `illegal number syntax: ${quote(text)}`,
      )
    return value
  }

  private known(name: string, at: number): void {
    if (!this.variables.includes(name)) throw new GoSyntaxError(at, `undefined variable ${quote(name)}`)
  }

  protected deeper<T>(at: number, parse: () => T): T {
    if (++this.depth > MAX_DEPTH) throw new GoSyntaxError(at, `nested deeper than ${MAX_DEPTH} levels`)
    const parsed = parse()
    this.depth--
    return parsed
  }

  protected unquoted(token: Token): string {
    const value = stringValue(token.text)
    if (value === undefined) throw new GoSyntaxError(token.at, `invalid escape in ${quote(token.text)}`)
    return value
  }
}

const STARTS_OPERAND: ReadonlySet<TokenKind> = new Set([
  'bool',
  'char',
  'dot',
  'field',
  'identifier',
  'number',
  'string',
  'raw',
  'variable',
  '(',
])
const isNil = (token: Token) => token.kind === 'keyword' && token.text === 'nil'
