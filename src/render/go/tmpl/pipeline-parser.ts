import type { Loc, Node } from '../../templates/handlebars-internals.ts'
import { charValue, stringValue } from '../go-quote.ts'
import { HELPERS } from '../helpers/index.ts'
import { GoSyntaxError, Lexer, quote, type Token, unexpected } from './lexer.ts'
import { call, data, fail, helperName, literal, locator, path, type SharedResults, type TextPart } from './nodes.ts'
import { numberValue } from './number-literal.ts'

/** Maximum nesting of blocks, parentheses and pipelines; bounds the stack of recursive functions. */
const MAX_DEPTH = 200

interface Variable {
  readonly name: string
  readonly slot: number
}

/** The payload, `$`. */
export const ROOT: Variable = { name: '$', slot: 0 }

type Operand =
  | { readonly kind: 'function' | 'text'; readonly at: number; readonly text: string }
  | { readonly kind: 'constant' | 'nil'; readonly at: number; readonly node: Node }
  | Member

/** A value and the fields that are read from it. */
interface Member {
  readonly kind: 'member'
  readonly at: number
  readonly names: readonly string[]
  readonly read: (names: readonly string[]) => Node
}

interface Command {
  readonly value: Node
  /** The command is only this text. */
  readonly text?: string
}

interface Pipeline extends Command {
  /** Slots of the variables that get the value. */
  readonly slots: readonly number[]
}

/** Parses the content of an action, and translates it to expressions of Handlebars. */
export class PipelineParser extends Lexer {
  /** Variables in scope, innermost last. */
  protected scope: Variable[] = [ROOT]
  /** Number of slots used by the current body. */
  protected slots = 0
  protected readonly locAt: (offset: number) => Loc
  private readonly shared: SharedResults
  private depth = 0

  constructor({ text, linesBefore }: TextPart, shared: SharedResults) {
    super(text)
    this.locAt = locator(text, linesBefore)
    this.shared = shared
  }

  /** Parses a pipeline such as `$a, $b := command | command`. */
  protected pipeline(context: string, end: 'close' | ')'): Pipeline {
    const at = this.solidAt()
    const { names, declares } = this.declarations(context)
    let last: Command | undefined
    for (let stage = 1; ; stage++) {
      const token = this.nextSolid()
      if (token.kind === end) break
      if (!startsOperand(token)) throw unexpected(token, context)
      if (stage > MAX_DEPTH) throw new GoSyntaxError(token.at, `pipeline longer than ${MAX_DEPTH} commands`)
      this.back(token)
      last = this.command(last?.value, stage)
    }
    if (last === undefined) throw new GoSyntaxError(at, `missing value for ${context}`)
    return { ...last, slots: names.map((name) => this.target(name, declares)) }
  }

  /** As `pipeline`, whose variables are set by the expression. */
  protected value(context: string, end: 'close' | ')'): Node {
    const at = this.solidAt()
    const { value, slots } = this.pipeline(context, end)
    const loc = this.locAt(at)
    return slots.reduce((set, slot) => call(loc, '$assign', literal(loc, slot), set), value)
  }

  private solidAt(): number {
    const token = this.nextSolid()
    this.back(token)
    return token.at
  }

  /** Returns the slot of a variable: a new one for a declaration, the existing one for an assignment. */
  private target(name: string, declares: boolean): number {
    const known = declares ? undefined : this.variable(name)
    if (known) return known.slot
    this.scope.push({ name, slot: ++this.slots })
    return this.slots
  }

  private variable(name: string): Variable | undefined {
    return this.scope.findLast((variable) => variable.name === name)
  }

  /** Parses `$x :=`, `$x =`, and in range `$i, $x :=`. Consumes no token when there is no declaration. */
  private declarations(context: string): { names: string[]; declares: boolean } {
    const names: string[] = []
    for (;;) {
      const variable = this.nextSolid()
      const isName = variable.kind === 'variable'
      const space = isName && this.peek().kind === 'space' ? [this.next()] : []
      const operator = isName ? this.next() : variable
      if (isName && (operator.kind === 'declare' || operator.kind === 'assign')) {
        names.push(variable.text)
        if (operator.kind === 'assign') for (const name of names) this.known(name, variable.at)
        return { names, declares: operator.kind === 'declare' }
      }
      if (!isName || operator.kind !== 'comma') {
        if (names.length > 0) throw new GoSyntaxError(operator.at, 'range can only initialize variables')
        this.back(...(isName ? [variable, ...space, operator] : [variable]))
        return { names, declares: false }
      }
      names.push(variable.text)
      if (context !== 'range' || names.length === 2)
        throw new GoSyntaxError(operator.at, `too many declarations in ${context}`)
    }
  }

  private command(piped: Node | undefined, stage: number): Command {
    const [first, ...rest] = this.operands()
    const loc = this.locAt(first.at)
    if (first.kind === 'function') return { value: this.helperCall(first, rest, piped) }
    if (piped && first.kind !== 'member')
      throw new GoSyntaxError(first.at, `non executable command in pipeline stage ${stage}`)
    if (first.kind === 'nil') return { value: fail(loc, 'nil is not a command') }
    const values = [...rest.map((operand) => this.node(operand, 'own')), ...(piped ? [piped] : [])]
    if (values.length === 0)
      return { value: this.node(first, 'own'), ...(first.kind === 'text' && { text: first.text }) }
    const name = first.kind === 'member' ? first.names.at(-1) : undefined
    if (first.kind !== 'member' || name === undefined)
      return { value: fail(loc, "can't give an argument to a value that is not a function") }
    return { value: call(loc, 'method', first.read(first.names.slice(0, -1)), literal(loc, name), ...values) }
  }

  /** Parses the operands up to the next `|`, which is consumed, or up to the end of the pipeline. */
  private operands(): [Operand, ...Operand[]] {
    const operands: [Operand, ...Operand[]] = [this.operand()]
    for (;;) {
      const token = this.next()
      const after = token.kind === 'space' ? this.next() : token
      if (after.kind === 'pipe') return operands
      this.back(after)
      if (after.kind === 'close' || after.kind === ')') return operands
      if (token === after || !startsOperand(after)) throw unexpected(after, 'operand')
      operands.push(this.operand())
    }
  }

  private operand(): Operand {
    const base = this.term()
    if (this.peek().kind !== 'field') return base
    const names: string[] = []
    while (this.peek().kind === 'field') names.push(this.next().text.slice(1))
    if (base.kind === 'member') return { ...base, names: [...base.names, ...names] }
    if (base.kind === 'function')
      return this.member(base.at, this.node(base, 'plain'), { names, calls: base.text === 'now' })
    throw new GoSyntaxError(base.at, 'unexpected . after term')
  }

  private term(): Operand {
    const token = this.nextSolid()
    const { at, text } = token
    const loc = this.locAt(at)
    switch (token.kind) {
      case 'identifier':
        if (!HELPERS.has(text)) throw new GoSyntaxError(at, `function ${quote(text)} not defined`)
        return { kind: 'function', at, text }
      case 'dot':
        return { kind: 'constant', at, node: path(loc, []) }
      case 'variable': {
        const { slot } = this.known(text, at)
        return { kind: 'member', at, names: [], read: (names) => data(loc, [String(slot), ...names]) }
      }
      case 'field':
        return { kind: 'member', at, names: [text.slice(1)], read: (names) => path(loc, names) }
      case 'bool':
        return { kind: 'constant', at, node: literal(loc, text === 'true') }
      case '(':
        return this.deeper(at, () => this.member(at, this.value('parenthesized pipeline', ')')))
      case 'string':
        return { kind: 'text', at, text: this.unquoted(token) }
      case 'raw':
        return { kind: 'text', at, text: text.slice(1, -1).replaceAll('\r', '') }
      case 'char':
      case 'number': {
        const value = this.numeric(token)
        return {
          kind: 'constant',
          at,
          node: typeof value === 'number' ? literal(loc, value) : this.constant(loc, value),
        }
      }
      default:
        if (isNil(token)) return { kind: 'nil', at, node: literal(loc, null) }
        throw unexpected(token, 'operand')
    }
  }

  /** `calls`: the names are methods instead of fields. */
  private member(
    at: number,
    value: Node,
    { names = [], calls = false }: { names?: string[]; calls?: boolean } = {},
  ): Member {
    const loc = this.locAt(at)
    const read = (chain: readonly string[]) => {
      const texts = chain.map((name) => literal(loc, name))
      if (calls) return texts.reduce((of, name) => call(loc, 'method', of, name), value)
      return texts.length === 0 ? value : call(loc, 'fields', value, ...texts)
    }
    return { kind: 'member', at, names, read }
  }

  private helperCall(
    { at, text: name }: { readonly at: number; readonly text: string },
    rest: readonly Operand[],
    piped?: Node,
  ): Node {
    const loc = this.locAt(at)
    const entry = HELPERS.get(name)
    if (!entry) return fail(loc, `function ${name} not defined`)
    const values = rest.map((operand) => this.node(operand, entry.literals))
    if (piped) values.splice(entry.piped === 'first' ? 0 : values.length, 0, piped)
    if (values.length < entry.minArgs || values.length > entry.maxArgs)
      return fail(loc, `wrong number of arguments for ${name}: want ${arity(entry)}, got ${values.length}`)
    if (name === 'and' || name === 'or') return call(loc, `$${name}`, ...values)
    if (name === 'include')
      return call(loc, 'include', ...(values.length === 1 ? [...values, literal(loc, null)] : values))
    this.shared.called.add(name)
    return call(loc, helperName(name), ...values)
  }

  private node(operand: Operand, literals: 'own' | 'plain'): Node {
    const loc = this.locAt(operand.at)
    switch (operand.kind) {
      case 'function':
        return this.helperCall(operand, [])
      case 'text': {
        const value = literals === 'own' ? this.shared.mark(operand.text) : operand.text
        return typeof value === 'string' ? literal(loc, value) : this.constant(loc, value)
      }
      case 'member':
        return operand.read(operand.names)
      default:
        return operand.node
    }
  }

  private constant(loc: Loc, value: unknown): Node {
    return data(loc, [`k${this.shared.constants.push(value) - 1}`])
  }

  private numeric({ kind, text, at }: Token): unknown {
    const value = kind === 'char' ? charValue(text) : numberValue(text)
    if (value !== undefined) return value
    const reason = kind === 'char' ? `malformed character constant: ${text}` : `illegal number syntax: ${quote(text)}`
    throw new GoSyntaxError(at, reason)
  }

  private known(name: string, at: number): Variable {
    const found = this.variable(name)
    if (!found) throw new GoSyntaxError(at, `undefined variable ${quote(name)}`)
    return found
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

const OPERANDS = new Set(['bool', 'char', 'dot', 'field', 'identifier', 'number', 'string', 'raw', 'variable', '('])
const startsOperand = (token: Token) => OPERANDS.has(token.kind) || isNil(token)
const isNil = (token: Token) => token.kind === 'keyword' && token.text === 'nil'

const arity = ({ minArgs, maxArgs }: { minArgs: number; maxArgs: number }) =>
  minArgs === maxArgs ? String(minArgs) : Number.isFinite(maxArgs) ? `${minArgs} to ${maxArgs}` : `at least ${minArgs}`
