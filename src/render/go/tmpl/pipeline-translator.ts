import type { Expression } from '../../templates/handlebars-internals.ts'
import { HELPERS } from '../helpers/index.ts'
import type { Command, Operand, Pipe } from './ast.ts'
import { NodeBuilder } from './node-builder.ts'

/** Results that all texts of a template add to. */
export interface SharedResults {
  readonly constants: unknown[]
  readonly called: Set<string>
  readonly mark: (text: string) => unknown
}

/** Name of a helper in generated code. */
export const helperName = (name: string): string => `f_${name}`

/** Translates pipelines, commands and operands to Handlebars expressions. */
export class PipelineTranslator extends NodeBuilder {
  private readonly shared: SharedResults
  /** Variables in scope, innermost last. */
  protected scope: { readonly name: string; readonly slot: number }[] = []
  /** Number of slots used by the current body. */
  protected slots = 0

  constructor(text: string, linesBefore: number, shared: SharedResults) {
    super(text, linesBefore)
    this.shared = shared
  }

  /** Returns the slot of a variable: a new one for a declaration, the existing one for an assignment. */
  protected target(name: string, pipe: Pipe): number {
    const known = this.scope.findLast((variable) => variable.name === name)
    if (!pipe.declares && known) return known.slot
    const slot = ++this.slots
    this.scope.push({ name, slot })
    return slot
  }

  protected pipe(pipe: Pipe): Expression {
    const value = this.commands(pipe)
    const [name] = pipe.variables
    return name === undefined ? value : this.call('$assign', [this.number(this.target(name, pipe)), value])
  }

  protected commands(pipe: Pipe): Expression {
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

const arity = ({ minArgs, maxArgs }: { minArgs: number; maxArgs: number }) =>
  minArgs === maxArgs ? String(minArgs) : Number.isFinite(maxArgs) ? `${minArgs} to ${maxArgs}` : `at least ${minArgs}`
