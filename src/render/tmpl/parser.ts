import type { Branch, Command, Operand, Pipe, Program, Range, Statement } from './ast.ts'
import { Lexer } from './lexer.ts'
import { charValue, stringValue } from './literals.ts'
import { numberValue } from './number.ts'
import { LexFault, quote, type Token, type TokenKind } from './token.ts'

/** Blocks, parentheses and pipelines inside one another; also bounds the stack of everything that walks the tree. */
const MAX_DEPTH = 200

type End = { readonly kind: 'end' | 'eof'; readonly at: number } | { readonly kind: 'else'; readonly at: number }

/** Parses Go's template language; throws `LexFault` at the first fault. `isFunction` knows the names that may be called. */
export function parse(text: string, isFunction: (name: string) => boolean): Program {
  return new Parser(text, isFunction).program()
}

class Parser {
  private readonly lexer: Lexer
  private readonly isFunction: (name: string) => boolean
  private readonly defined = new Map<string, Statement[]>()
  private readonly ahead: Token[] = []
  private variables: string[] = ['$']
  private ranges = 0
  private depth = 0

  constructor(text: string, isFunction: (name: string) => boolean) {
    this.lexer = new Lexer(text)
    this.isFunction = isFunction
  }

  program(): Program {
    const main: Statement[] = []
    for (let token = this.peek(); token.kind !== 'eof'; token = this.peek()) {
      if (token.kind === 'open' && this.isDefinition()) this.definition()
      else main.push(...this.statement('end'))
    }
    return { main, defined: this.defined }
  }

  private isDefinition(): boolean {
    const open = this.next()
    const word = this.nextSolid()
    this.ahead.unshift(open, word)
    return word.kind === 'keyword' && word.text === 'define'
  }

  private definition(): void {
    this.next()
    this.nextSolid()
    const name = this.nameOf(this.nextSolid(), 'define clause')
    this.expect('close', 'define clause')
    this.keep(
      name.text,
      this.inOwnScope(() => this.bodyToEnd('define clause')),
      name.at,
    )
  }

  /** A definition sees neither the variables nor the loops around it. */
  private inOwnScope<T>(parse: () => T): T {
    const { variables, ranges } = this
    this.variables = ['$']
    this.ranges = 0
    const parsed = this.deeper(this.lastAt, parse)
    this.variables = variables
    this.ranges = ranges
    return parsed
  }

  private bodyToEnd(context: string): Statement[] {
    const { body, end } = this.body()
    if (end.kind === 'else') throw new LexFault(end.at, `unexpected {{else}} in ${context}`)
    this.expect('close', 'end')
    return body
  }

  private keep(name: string, body: Statement[], at: number): void {
    const earlier = this.defined.get(name)
    if (earlier && isEmpty(body)) return
    if (earlier && !isEmpty(earlier)) throw new LexFault(at, `multiple definition of template ${quote(name)}`)
    this.defined.set(name, body)
  }

  /** Statements up to `{{end` or `{{else`, whose word has been taken. */
  private body(): { body: Statement[]; end: End } {
    const body: Statement[] = []
    for (;;) {
      const token = this.peek()
      if (token.kind === 'eof') throw new LexFault(token.at, 'unexpected EOF')
      if (token.kind === 'open') {
        const open = this.next()
        const word = this.nextSolid()
        if (word.kind === 'keyword' && (word.text === 'end' || word.text === 'else')) {
          return { body, end: { kind: word.text, at: word.at } }
        }
        this.ahead.unshift(open, word)
      }
      body.push(...this.statement())
    }
  }

  private statement(_top?: 'end'): Statement[] {
    const token = this.next()
    if (token.kind === 'text') return [{ kind: 'text', at: token.at, text: token.text }]
    if (token.kind !== 'open') throw unexpected(token, 'input')
    return this.action()
  }

  private action(): Statement[] {
    const word = this.nextSolid()
    if (word.kind === 'keyword') {
      const statement = this.control(word)
      if (statement) return statement
    }
    this.ahead.unshift(word)
    const pipe = this.pipeline('command', 'close')
    return [{ kind: 'action', at: word.at, pipe }]
  }

  private control(word: Token): Statement[] | undefined {
    switch (word.text) {
      case 'if':
      case 'with':
        return [this.deeper(word.at, () => this.branch(word, word.text === 'if' ? 'if' : 'with'))]
      case 'range':
        return [this.deeper(word.at, () => this.range(word))]
      case 'template':
        return [this.template(word)]
      case 'block':
        return [this.block(word)]
      case 'break':
      case 'continue':
        if (this.ranges === 0) throw new LexFault(word.at, `{{${word.text}}} outside {{range}}`)
        this.expect('close', `{{${word.text}}}`)
        return [{ kind: word.text, at: word.at }]
      case 'define':
      case 'end':
      case 'else':
        throw new LexFault(word.at, `unexpected {{${word.text}}}`)
      default:
        return undefined
    }
  }

  private branch(word: Token, kind: 'if' | 'with'): Branch {
    const mark = this.variables.length
    const pipe = this.pipeline(kind, 'close')
    const { body, end } = this.body()
    const otherwise = end.kind === 'else' ? this.otherwise(kind) : this.ended(kind)
    this.variables.length = mark
    return { kind, at: word.at, pipe, body, otherwise }
  }

  private ended(context: string): Statement[] {
    this.expect('close', context)
    return []
  }

  /** What follows `{{else`: the plain rest, or `{{else if ...}}`, which shares the end of the outer one. */
  private otherwise(kind: 'if' | 'with' | 'range'): Statement[] {
    const word = this.nextSolid()
    if (word.kind === 'keyword' && kind !== 'range' && word.text === kind) {
      return [this.deeper(word.at, () => this.branch(word, kind))]
    }
    if (word.kind !== 'close') throw unexpected(word, 'else')
    return this.bodyToEnd(kind)
  }

  private range(word: Token): Range {
    const mark = this.variables.length
    const pipe = this.pipeline('range', 'close')
    this.ranges++
    const { body, end } = this.body()
    this.ranges--
    const otherwise = end.kind === 'else' ? this.otherwise('range') : this.ended('range')
    this.variables.length = mark
    return { kind: 'range', at: word.at, pipe, body, otherwise }
  }

  private template(word: Token): Statement {
    const name = this.nameOf(this.nextSolid(), 'template clause')
    const after = this.nextSolid()
    if (after.kind === 'close') return { kind: 'template', at: word.at, name: name.text, pipe: undefined }
    this.ahead.unshift(after)
    return { kind: 'template', at: word.at, name: name.text, pipe: this.pipeline('template clause', 'close') }
  }

  private block(word: Token): Statement {
    const name = this.nameOf(this.nextSolid(), 'block clause')
    const pipe = this.pipeline('block clause', 'close')
    this.keep(
      name.text,
      this.inOwnScope(() => this.bodyToEnd('block clause')),
      name.at,
    )
    return { kind: 'template', at: word.at, name: name.text, pipe }
  }

  private nameOf(token: Token, context: string): { text: string; at: number } {
    if (token.kind === 'raw') return { text: token.text.slice(1, -1), at: token.at }
    if (token.kind !== 'string') throw unexpected(token, context)
    return { text: this.unquoted(token), at: token.at }
  }

  private unquoted(token: Token): string {
    const value = stringValue(token.text)
    if (value === undefined) throw new LexFault(token.at, `invalid escape in ${quote(token.text)}`)
    return value
  }

  private pipeline(context: string, end: 'close' | ')'): Pipe {
    const at = this.peekSolid().at
    const { variables, declares } = this.declarations(context)
    const commands: Command[] = []
    for (;;) {
      const token = this.nextSolid()
      if (token.kind === end) break
      this.ahead.unshift(token)
      if (!STARTS_OPERAND.has(token.kind) && !isNil(token)) throw unexpected(this.next(), context)
      commands.push(this.command())
      if (commands.length > MAX_DEPTH) throw new LexFault(token.at, `pipeline longer than ${MAX_DEPTH} commands`)
    }
    this.check(commands, context, at)
    this.variables.push(...(declares ? variables : []))
    return { at, variables, declares, commands }
  }

  private check(commands: readonly Command[], context: string, at: number): void {
    if (commands.length === 0) throw new LexFault(at, `missing value for ${context}`)
    commands.slice(1).forEach((command, index) => {
      const first = command.operands[0]
      if (first && ['bool', 'dot', 'nil', 'number', 'string'].includes(first.kind))
        throw new LexFault(first.at, `non executable command in pipeline stage ${index + 2}`)
    })
  }

  /** `$x :=`, `$x =`, and in range `$i, $x :=`; takes nothing when the pipeline starts with something else. */
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
        if (!ranged) throw new LexFault(operator.at, `too many declarations in ${context}`)
        variables.push(variable.text)
        if (variables.length === 2) throw new LexFault(operator.at, 'too many declarations in range')
        continue
      }
      this.ahead.unshift(variable, ...space, operator)
      return this.noOperator(variables, operator)
    }
  }

  private noOperator(variables: string[], token: Token): { variables: string[]; declares: boolean } {
    if (variables.length > 0) throw new LexFault(token.at, 'range can only initialize variables')
    return { variables: [], declares: false }
  }

  private declarable(variables: readonly string[], operator: Token, context: string): void {
    if (variables.length > 1 && context !== 'range')
      throw new LexFault(operator.at, `too many declarations in ${context}`)
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
        throw new LexFault(base.at, `unexpected . after term`)
      default:
        return { kind: 'chain', at: base.at, base, names }
    }
  }

  private term(): Operand {
    const token = this.nextSolid()
    const { at, text } = token
    switch (token.kind) {
      case 'identifier':
        if (!this.isFunction(text)) throw new LexFault(at, `function ${quote(text)} not defined`)
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
      throw new LexFault(
        at,
        kind === 'char' ? `malformed character constant: ${text}` : `illegal number syntax: ${quote(text)}`,
      )
    return value
  }

  private known(name: string, at: number): void {
    if (!this.variables.includes(name)) throw new LexFault(at, `undefined variable ${quote(name)}`)
  }

  private deeper<T>(at: number, parse: () => T): T {
    if (++this.depth > MAX_DEPTH) throw new LexFault(at, `nested deeper than ${MAX_DEPTH} levels`)
    const parsed = parse()
    this.depth--
    return parsed
  }

  private expect(kind: TokenKind, context: string): void {
    const token = this.nextSolid()
    if (token.kind !== kind) throw unexpected(token, context)
  }

  private lastAt = 0

  private next(): Token {
    const token = this.ahead.shift() ?? this.lexer.next()
    this.lastAt = token.at
    return token
  }

  private peek(): Token {
    const token = this.next()
    this.ahead.unshift(token)
    return token
  }

  private nextSolid(): Token {
    const token = this.next()
    return token.kind === 'space' ? this.next() : token
  }

  private peekSolid(): Token {
    const token = this.nextSolid()
    this.ahead.unshift(token)
    return token
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

function isEmpty(body: readonly Statement[]): boolean {
  return body.every((statement) => statement.kind === 'text' && statement.text.trim() === '')
}

function unexpected(token: Token, context: string): LexFault {
  if (token.kind === 'eof') return new LexFault(token.at, `unexpected EOF in ${context}`)
  return new LexFault(token.at, `unexpected ${quote(token.text)} in ${context}`)
}
