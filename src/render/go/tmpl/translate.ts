import type { Expression, HandlebarsProgram, HandlebarsStatement } from '../../templates/handlebars-internals.ts'
import { HELPERS } from '../helpers/index.ts'
import type { Branch, Command, Operand, Pipe, Program, Range, Statement } from './ast.ts'
import { type Bodies, NodeBuilder } from './node-builder.ts'
import { BREAK, CONTINUE } from './runtime.ts'

interface Translation {
  readonly main: HandlebarsProgram
  readonly defined: ReadonlyMap<string, HandlebarsProgram>
  readonly constants: readonly unknown[]
  /** Names of `HELPERS` that are called, as `f_name` in the generated code. */
  readonly called: ReadonlySet<string>
}

/** One parsed text: the template or a shared file. */
export interface ParsedText {
  readonly program: Program
  readonly text: string
  /** Number of lines in the texts before it. */
  readonly linesBefore: number
}

/**
 * Translates Go templates to Handlebars trees: the body of the first text, and the definitions of all; definitions of
 * earlier texts win.
 * @param mark converts a text literal that becomes a value, so that it is not escaped
 */
export function translate(parts: readonly ParsedText[], mark: (text: string) => unknown): Translation {
  const shared: Shared = { constants: [], called: new Set(), mark }
  const defined = new Map<string, HandlebarsProgram>()
  const [main] = parts.map((part) => {
    const translator = new Translator(part, shared)
    for (const [name, body] of part.program.defined)
      if (!defined.has(name)) defined.set(name, translator.translateBody(body))
    return translator.translateBody(part.program.main)
  })
  if (!main) throw new RangeError('a template has at least one part')
  return { main, defined, constants: shared.constants, called: shared.called }
}

/** Results that all texts of a template add to. */
interface Shared {
  readonly constants: unknown[]
  readonly called: Set<string>
  readonly mark: (text: string) => unknown
}

export const helperName = (name: string): string => `f_${name}`

class Translator extends NodeBuilder {
  private readonly shared: Shared
  private scope: { readonly name: string; readonly slot: number }[] = []
  private slots = 0

  constructor({ text, linesBefore }: ParsedText, shared: Shared) {
    super(text, linesBefore)
    this.shared = shared
  }

  translateBody(body: readonly Statement[]): HandlebarsProgram {
    this.scope = [{ name: '$', slot: 0 }]
    this.slots = 0
    return this.program(body)
  }

  private program(body: readonly Statement[]): HandlebarsProgram {
    const mark = this.scope.length
    const { loc } = this
    const statements = this.statements(body)
    this.scope.length = mark
    return { type: 'Program', body: statements, blockParams: [], strip: {}, loc }
  }

  /**
   * Translates statements. Those after one that may leave the loop are wrapped, so that they run only when it did not.
   */
  private statements(body: readonly Statement[]): HandlebarsStatement[] {
    const translated: HandlebarsStatement[] = []
    let into = translated
    for (const [at, statement] of body.entries()) {
      into.push(...this.statement(statement))
      if (at + 1 === body.length || !mayLeaveLoop(statement)) continue
      into = []
      const rest: HandlebarsProgram = { type: 'Program', body: into, blockParams: [], strip: {}, loc: this.loc }
      translated.push(this.block('$going', [], { program: rest }))
    }
    return translated
  }

  private statement(statement: Statement): HandlebarsStatement[] {
    this.loc = this.at(statement.at)
    switch (statement.kind) {
      case 'text':
        return [this.content(statement.text)]
      case 'action':
        return [this.action(statement.pipe)]
      case 'if':
      case 'with':
        return [this.branch(statement)]
      case 'range':
        return [this.range(statement)]
      case 'template':
        return [
          this.mustache('template', [
            this.string(statement.name),
            statement.pipe ? this.pipe(statement.pipe) : this.nil(),
          ]),
        ]
      case 'break':
      case 'continue':
        return [this.mustache('$flow', [this.number(statement.kind === 'break' ? BREAK : CONTINUE)])]
      default:
        return statement satisfies never
    }
  }

  private action(pipe: Pipe): HandlebarsStatement {
    const [only] = pipe.commands
    const [operand] = only?.operands ?? []
    if (
      pipe.variables.length === 0 &&
      pipe.commands.length === 1 &&
      only?.operands.length === 1 &&
      operand?.kind === 'string'
    )
      return this.content(operand.value)
    const value = this.commands(pipe)
    const [name] = pipe.variables
    return name === undefined
      ? this.mustache('out', [value])
      : this.mustache('$set', [this.number(this.target(name, pipe)), value])
  }

  private branch(branch: Branch): HandlebarsStatement {
    const { loc } = this
    const mark = this.scope.length
    const value = this.pipe(branch.pipe)
    const bodies = this.bodies(branch)
    this.scope.length = mark
    this.loc = loc
    return this.block(branch.kind === 'if' ? '$if' : '$with', [value], bodies)
  }

  private bodies({ body, otherwise }: Branch | Range): Bodies {
    const program = this.program(body)
    return { program, inverse: otherwise.length > 0 ? this.program(otherwise) : undefined }
  }

  private range(range: Range): HandlebarsStatement {
    const { loc } = this
    const mark = this.scope.length
    const value = this.commands(range.pipe)
    const slots = range.pipe.variables.map((name) => this.target(name, range.pipe))
    const [key, item] = slots.length > 1 ? slots : [0, slots[0] ?? 0]
    const bodies = this.bodies(range)
    this.scope.length = mark
    this.loc = loc
    return this.block('$range', [value, this.number(key ?? 0), this.number(item ?? 0)], bodies)
  }

  /** Returns the slot of a variable: a new one for a declaration, the existing one for an assignment. */
  private target(name: string, pipe: Pipe): number {
    const known = this.scope.findLast((variable) => variable.name === name)
    if (!pipe.declares && known) return known.slot
    const slot = ++this.slots
    this.scope.push({ name, slot })
    return slot
  }

  private pipe(pipe: Pipe): Expression {
    const value = this.commands(pipe)
    const [name] = pipe.variables
    return name === undefined ? value : this.call('$assign', [this.number(this.target(name, pipe)), value])
  }

  private commands(pipe: Pipe): Expression {
    let value: Expression | undefined
    for (const command of pipe.commands) value = this.command(command, value)
    return value ?? this.nil()
  }

  private command(command: Command, piped: Expression | undefined): Expression {
    this.loc = this.at(command.at)
    const [first, ...rest] = command.operands
    if (!first) return this.nil()
    if (first.kind === 'identifier') return this.function(first.name, rest, piped)
    if (first.kind === 'nil') return this.fail('nil is not a command')
    const values = () => [...rest.map((operand) => this.operand(operand, 'own')), ...(piped ? [piped] : [])]
    if (rest.length === 0 && !piped) return this.operand(first, 'own')
    if (first.kind === 'field' || first.kind === 'variable' || first.kind === 'chain') {
      const name = first.names.at(-1)
      if (name !== undefined) {
        const base = this.operand({ ...first, names: first.names.slice(0, -1) } as Operand, 'own')
        return this.call('method', [base, this.string(name), ...values()])
      }
    }
    return this.fail("can't give an argument to a value that is not a function")
  }

  private function(name: string, rest: readonly Operand[], piped: Expression | undefined): Expression {
    const { loc } = this
    const entry = HELPERS.get(name)
    if (!entry) return this.fail(`function ${name} not defined`)
    const values = rest.map((operand) => this.operand(operand, entry.literals))
    if (piped) values.splice(entry.piped === 'first' ? 0 : values.length, 0, piped)
    this.loc = loc
    if (values.length < entry.minArgs || values.length > entry.maxArgs)
      return this.fail(`wrong number of arguments for ${name}: want ${arity(entry)}, got ${values.length}`)
    if (name === 'and' || name === 'or') return this.call(`$${name}`, values)
    if (name === 'include') return this.call('include', values.length === 1 ? [...values, this.nil()] : values)
    this.shared.called.add(name)
    return this.call(helperName(name), values)
  }

  private operand(operand: Operand, literals: 'own' | 'plain'): Expression {
    switch (operand.kind) {
      case 'dot':
        return this.path([])
      case 'field':
        return this.path(operand.names)
      case 'variable':
        return this.variable(operand.name, operand.names)
      case 'chain':
        return this.chain(operand.base, operand.names)
      case 'pipe':
        return this.pipe(operand.pipe)
      case 'identifier':
        return this.function(operand.name, [], undefined)
      case 'nil':
        return this.nil()
      case 'bool':
        return { type: 'BooleanLiteral', value: operand.value, original: operand.value, loc: this.loc }
      case 'string':
        return literals === 'own' ? this.text(operand.value) : this.string(operand.value)
      case 'number':
        return typeof operand.value === 'number' ? this.number(operand.value) : this.constant(operand.value)
      default:
        return operand satisfies never
    }
  }

  private chain(base: Operand, names: readonly string[]): Expression {
    if (base.kind === 'identifier' && base.name === 'now')
      return names.reduce((value, name) => this.call('method', [value, this.string(name)]), this.operand(base, 'plain'))
    const value = this.operand(base, 'plain')
    return names.length === 0 ? value : this.call('fields', [value, ...names.map((name) => this.string(name))])
  }

  private variable(name: string, names: readonly string[]): Expression {
    const known = this.scope.findLast((variable) => variable.name === name)
    if (!known) return this.fail(`undefined variable: ${name}`)
    return this.data([String(known.slot), ...names])
  }

  private text(value: string): Expression {
    const own = this.shared.mark(value)
    return typeof own === 'string' ? this.string(own) : this.constant(own)
  }

  private constant(value: unknown): Expression {
    return this.data([`k${this.shared.constants.push(value) - 1}`])
  }

  private fail(message: string): Expression {
    return this.call('fail', [this.string(message)])
  }
}

/** Returns whether a statement contains a break or continue of the loop around it. */
function mayLeaveLoop(statement: Statement): boolean {
  if (statement.kind === 'break' || statement.kind === 'continue') return true
  if (statement.kind === 'if' || statement.kind === 'with')
    return statement.body.some(mayLeaveLoop) || statement.otherwise.some(mayLeaveLoop)
  return statement.kind === 'range' && statement.otherwise.some(mayLeaveLoop)
}

const arity = ({ minArgs, maxArgs }: { minArgs: number; maxArgs: number }) =>
  minArgs === maxArgs ? String(minArgs) : Number.isFinite(maxArgs) ? `${minArgs} to ${maxArgs}` : `at least ${minArgs}`
