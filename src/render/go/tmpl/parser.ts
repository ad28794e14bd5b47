import type { Branch, Program, Range, Statement } from './ast.ts'
import { GoSyntaxError, quote, type Token } from './lexer.ts'
import { PipelineParser, unexpected } from './pipeline-parser.ts'

/**
 * Parses a Go template. Throws `GoSyntaxError`.
 * @param isFunction returns whether a name may be called
 */
export function parse(text: string, isFunction: (name: string) => boolean): Program {
  return new Parser(text, isFunction).program()
}

/** Parses a shared file. Throws `GoSyntaxError`, also for text outside of definitions, which would never be printed. */
export function parseShared(text: string, isFunction: (name: string) => boolean): Program {
  const program = parse(text, isFunction)
  const stray = program.main.find((statement) => !isEmpty([statement]))
  if (stray) throw new GoSyntaxError(solidAt(text, stray.at), 'a shared file prints nothing outside of its definitions')
  return program
}

const solidAt = (text: string, at: number) => at + (/^\s*/.exec(text.slice(at))?.[0].length ?? 0)

interface End {
  readonly kind: 'end' | 'else'
  readonly at: number
}

class Parser extends PipelineParser {
  private readonly defined = new Map<string, Statement[]>()
  private ranges = 0

  program(): Program {
    const main: Statement[] = []
    for (let token = this.peek(); token.kind !== 'eof'; token = this.peek()) {
      if (token.kind === 'open' && this.isDefinition()) this.definition()
      else main.push(...this.statement())
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

  /** Parses a definition, which has no access to the variables and loops around it. */
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
    if (end.kind === 'else') throw new GoSyntaxError(end.at, `unexpected {{else}} in ${context}`)
    this.expect('close', 'end')
    return body
  }

  private keep(name: string, body: Statement[], at: number): void {
    const earlier = this.defined.get(name)
    if (earlier && isEmpty(body)) return
    if (earlier && !isEmpty(earlier)) throw new GoSyntaxError(at, `multiple definition of template ${quote(name)}`)
    this.defined.set(name, body)
  }

  /** Parses statements up to `{{end` or `{{else`, and consumes that keyword. */
  private body(): { body: Statement[]; end: End } {
    const body: Statement[] = []
    for (;;) {
      const token = this.peek()
      if (token.kind === 'eof') throw new GoSyntaxError(token.at, 'unexpected EOF')
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

  private statement(): Statement[] {
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
        if (this.ranges === 0) throw new GoSyntaxError(word.at, `{{${word.text}}} outside {{range}}`)
        this.expect('close', `{{${word.text}}}`)
        return [{ kind: word.text, at: word.at }]
      case 'define':
      case 'end':
      case 'else':
        throw new GoSyntaxError(word.at, `unexpected {{${word.text}}}`)
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

  /**
   * Parses the part after `{{else`: a body, or `{{else if ...}}`, which shares the `{{end}}` of the outer statement.
   */
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
}

function isEmpty(body: readonly Statement[]): boolean {
  return body.every((statement) => statement.kind === 'text' && statement.text.trim() === '')
}
