import type { HandlebarsProgram, HandlebarsStatement } from '../../templates/handlebars-internals.ts'
import type { Branch, Pipe, Program, Range, Statement } from './ast.ts'
import type { Bodies } from './node-builder.ts'
import { PipelineTranslator, type SharedResults } from './pipeline-translator.ts'
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
  const shared: SharedResults = { constants: [], called: new Set(), mark }
  const defined = new Map<string, HandlebarsProgram>()
  const [main] = parts.map((part) => {
    const translator = new StatementTranslator(part.text, part.linesBefore, shared)
    for (const [name, body] of part.program.defined)
      if (!defined.has(name)) defined.set(name, translator.translateBody(body))
    return translator.translateBody(part.program.main)
  })
  if (!main) throw new RangeError('a template has at least one part')
  return { main, defined, constants: shared.constants, called: shared.called }
}

class StatementTranslator extends PipelineTranslator {
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
}

/** Returns whether a statement contains a break or continue of the loop around it. */
function mayLeaveLoop(statement: Statement): boolean {
  if (statement.kind === 'break' || statement.kind === 'continue') return true
  if (statement.kind === 'if' || statement.kind === 'with')
    return statement.body.some(mayLeaveLoop) || statement.otherwise.some(mayLeaveLoop)
  return statement.kind === 'range' && statement.otherwise.some(mayLeaveLoop)
}
