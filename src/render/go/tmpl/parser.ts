import type { Node } from '../../templates/handlebars-internals.ts'
import { GoSyntaxError, quote, type Token, unexpected } from './lexer.ts'
import { type Bodies, block, content, literal, program, type SharedResults, statement, type TextPart } from './nodes.ts'
import { PipelineParser, ROOT } from './pipeline-parser.ts'
import { BREAK, CONTINUE } from './runtime.ts'

/** A parsed text, as trees of Handlebars. */
interface Parsed {
  /** The statements outside of definitions. */
  readonly main: Node
  readonly defined: ReadonlyMap<string, Node>
}

/** Parses a Go template. Throws `GoSyntaxError`. */
export function parse(part: TextPart, shared: SharedResults): Parsed {
  return new Parser(part, shared).parse()
}

/** Parses a shared file. Throws `GoSyntaxError`, also for text outside of definitions, which would never be printed. */
export function parseShared(part: TextPart, shared: SharedResults): Parsed {
  const { solidAt, ...parsed } = new Parser(part, shared).parse()
  if (solidAt === undefined) return parsed
  const blanks = /^\s*/.exec(part.text.slice(solidAt))?.[0].length ?? 0
  throw new GoSyntaxError(solidAt + blanks, 'a shared file prints nothing outside of its definitions')
}

/** Parsed statements, up to the word or the end of the text that ends them. */
interface Body {
  readonly tree: Node
  /** Offset of the first statement that is more than white space. */
  readonly solidAt: number | undefined
  readonly end: Token
}

class Parser extends PipelineParser {
  private readonly defined = new Map<string, Body>()
  private ranges = 0
  /** The statement that was parsed last has a break or continue of the loop around it. */
  private leaves = false

  parse(): Parsed & Pick<Body, 'solidAt'> {
    const { tree: main, solidAt } = this.statements(() => {
      for (;;) {
        const word = this.opening('define')
        if (!word) return this.peek().kind === 'eof' ? this.next() : undefined
        this.definition()
      }
    })
    return { main, solidAt, defined: new Map(Array.from(this.defined, ([name, { tree }]) => [name, tree])) }
  }

  /** Consumes `{{` and the next word if it is one of these. */
  private opening(...words: readonly string[]): Token | undefined {
    if (this.peek().kind !== 'open') return undefined
    const open = this.next()
    const word = this.nextSolid()
    if (word.kind === 'keyword' && words.includes(word.text)) return word
    this.back(open, word)
    return undefined
  }

  private definition(): void {
    const name = this.nameOf(this.nextSolid(), 'define clause')
    this.expect('close', 'define clause')
    this.keep(name, 'define clause')
  }

  /** Parses the body of a definition, which has no access to the variables and loops around it, and keeps it. */
  private keep({ text, at }: { readonly text: string; readonly at: number }, context: string): void {
    const { scope, slots, ranges, leaves } = this
    this.scope = [ROOT]
    this.slots = 0
    this.ranges = 0
    const body = this.deeper(this.lastAt, () => this.bodyToEnd(context))
    this.scope = scope
    this.slots = slots
    this.ranges = ranges
    this.leaves = leaves
    const earlier = this.defined.get(text)
    if (earlier && body.solidAt === undefined) return
    if (earlier?.solidAt !== undefined) throw new GoSyntaxError(at, `multiple definition of template ${quote(text)}`)
    this.defined.set(text, body)
  }

  private bodyToEnd(context: string): Body {
    const body = this.body()
    if (body.end.text === 'else') throw new GoSyntaxError(body.end.at, `unexpected {{else}} in ${context}`)
    this.expect('close', 'end')
    return body
  }

  /** Parses statements up to `{{end` or `{{else`, and consumes that keyword. */
  private body(): Body {
    return this.statements(() => {
      const token = this.peek()
      if (token.kind === 'eof') throw new GoSyntaxError(token.at, 'unexpected EOF')
      return this.opening('end', 'else')
    })
  }

  /**
   * Parses statements until `ended` returns what ends them. Those after one that may leave the loop are wrapped, so that
   * they run only when it did not.
   */
  private statements(ended: () => Token | undefined): Body {
    const mark = this.scope.length
    const loc = this.locAt(this.lastAt)
    const nodes: Node[] = []
    let into = nodes
    let leaves = false
    let solidAt: number | undefined
    for (let end = ended(); ; end = ended()) {
      if (end) {
        this.scope.length = mark
        this.leaves = leaves
        return { tree: program(loc, nodes), solidAt, end }
      }
      this.leaves = false
      const { at, node, isBlank } = this.statement()
      into.push(...node)
      if (!isBlank) solidAt ??= at
      if (!this.leaves) continue
      leaves = true
      into = []
      nodes.push(block(loc, { name: '$going', params: [] }, { program: program(loc, into) }))
    }
  }

  private statement(): { at: number; node: Node[]; isBlank: boolean } {
    const token = this.next()
    const { at, text } = token
    if (token.kind === 'text') return { at, node: [content(this.locAt(at), text)], isBlank: text.trim() === '' }
    if (token.kind !== 'open') throw unexpected(token, 'input')
    const word = this.nextSolid()
    return { at: word.at, node: [this.control(word) ?? this.action(word)], isBlank: false }
  }

  private action(word: Token): Node {
    this.back(word)
    const loc = this.locAt(word.at)
    const { value, text, slots } = this.pipeline('command', 'close')
    const [slot] = slots
    if (slot !== undefined) return statement(loc, '$set', literal(loc, slot), value)
    return text === undefined ? statement(loc, 'out', value) : content(loc, text)
  }

  private control(word: Token): Node | undefined {
    const { at, text } = word
    const loc = this.locAt(at)
    switch (word.kind === 'keyword' ? text : '') {
      case 'if':
      case 'with':
        return this.deeper(at, () => this.branch(word))
      case 'range':
        return this.deeper(at, () => this.range(word))
      case 'template':
        return this.template(word)
      case 'block': {
        const name = this.nameOf(this.nextSolid(), 'block clause')
        const value = this.value('block clause', 'close')
        this.keep(name, 'block clause')
        return statement(loc, 'template', literal(loc, name.text), value)
      }
      case 'break':
      case 'continue':
        if (this.ranges === 0) throw new GoSyntaxError(at, `{{${text}}} outside {{range}}`)
        this.expect('close', `{{${text}}}`)
        this.leaves = true
        return statement(loc, '$flow', literal(loc, text === 'break' ? BREAK : CONTINUE))
      case 'define':
      case 'end':
      case 'else':
        throw new GoSyntaxError(at, `unexpected {{${text}}}`)
      default:
        return undefined
    }
  }

  private branch({ at, text: kind }: Token): Node {
    const mark = this.scope.length
    const value = this.value(kind, 'close')
    const bodies = this.bodies(kind)
    this.scope.length = mark
    return block(this.locAt(at), { name: `$${kind}`, params: [value] }, bodies)
  }

  private range({ at }: Token): Node {
    const mark = this.scope.length
    const { value, slots } = this.pipeline('range', 'close')
    this.ranges++
    const bodies = this.bodies('range')
    this.scope.length = mark
    const [key = 0, item = 0] = slots.length > 1 ? slots : [0, ...slots]
    const loc = this.locAt(at)
    return block(loc, { name: '$range', params: [value, literal(loc, key), literal(loc, item)] }, bodies)
  }

  /** Parses the body of a statement, and the part after its `{{else`. What leaves a range in its body stays in it. */
  private bodies(kind: string): Bodies {
    const { tree, end } = this.body()
    const leaves = this.leaves && kind !== 'range'
    if (kind === 'range') this.ranges--
    this.leaves = false
    if (end.text === 'end') this.expect('close', kind)
    const bodies = { program: tree, ...(end.text === 'else' && { inverse: this.otherwise(kind) }) }
    this.leaves ||= leaves
    return bodies
  }

  /**
   * Parses the part after `{{else`: a body, or `{{else if ...}}`, which shares the `{{end}}` of the outer statement.
   */
  private otherwise(kind: string): Node {
    const word = this.nextSolid()
    if (word.kind === 'keyword' && kind !== 'range' && word.text === kind)
      return program(this.locAt(word.at), [this.deeper(word.at, () => this.branch(word))])
    if (word.kind !== 'close') throw unexpected(word, 'else')
    return this.bodyToEnd(kind).tree
  }

  private template({ at }: Token): Node {
    const loc = this.locAt(at)
    const name = literal(loc, this.nameOf(this.nextSolid(), 'template clause').text)
    const after = this.nextSolid()
    if (after.kind === 'close') return statement(loc, 'template', name, literal(loc, null))
    this.back(after)
    return statement(loc, 'template', name, this.value('template clause', 'close'))
  }

  private nameOf(token: Token, context: string): { text: string; at: number } {
    if (token.kind === 'raw') return { text: token.text.slice(1, -1), at: token.at }
    if (token.kind !== 'string') throw unexpected(token, context)
    return { text: this.unquoted(token), at: token.at }
  }
}
