import { CodeGenerator } from '../../templates/handlebars-internals.ts'

/** Names of members that JavaScript values have without being fields of a payload, such as `toString` and `length`. */
const INHERITED = new Set(
  [Object, String, Number, Boolean, Array, BigInt]
    .flatMap((type) => [...Object.getOwnPropertyNames(type.prototype), ...Object.getOwnPropertyNames(Object.prototype)])
    .concat('length'),
)
const IDENTIFIER = /^[A-Za-z_$][\w$]*$/

type Emit = (
  generator: TemplateGenerator,
  params: readonly unknown[],
  blocks: { fn?: unknown; inverse?: unknown },
) => unknown

/**
 * Handlebars' code generator for templates translated from Go. Helpers are called directly instead of through an
 * options object, fields are plain property reads unless the name is inherited, and statements become expressions.
 */
export class TemplateGenerator extends CodeGenerator {
  private temporaries = 0

  override nameLookup(parent: unknown, name: string, type: string): unknown {
    if (type === 'helper') return `helpers.${name}`
    if (INHERITED.has(name)) return ['helpers.field(', parent, ',', this.quotedString(name), ')']
    return IDENTIFIER.test(name) ? [parent, '.', name] : [parent, '[', this.quotedString(name), ']']
  }

  /** Reads a variable (`@3.a` is variable 3 of the running template) or a constant (`@k3`). */
  lookupData(_depth: number, parts: readonly string[]): void {
    const [slot = ''] = parts
    this.pushStackLiteral(slot.startsWith('k') ? `helpers.constants[${slot.slice(1)}]` : `helpers.frame[${slot}]`)
    this.resolvePath('context', parts, 1)
  }

  invokeKnownHelper(count: number, name: string): void {
    const params: unknown[] = []
    const blocks = this.setupParams(name, count, params)
    const emit = EMITTERS[name]
    this.push(
      emit
        ? emit(this, params, blocks)
        : [this.position(), this.source.functionCall(`helpers.${name}`, '', params), ')'],
    )
  }

  /** Returns code that stores the position of a call before it is made. */
  position(): string {
    const { line = 0, column = 0 } = this.source.currentLocation?.start ?? {}
    return `(helpers.line=${line},helpers.column=${column},`
  }

  temporary(): string {
    const name = `kept${this.temporaries++}`
    this.useRegister(name)
    return name
  }

  run(program: unknown, context: string): unknown {
    return program === undefined || program === 'container.noop' ? '""' : [program, '(', context, ')']
  }
}

const dot = (generator: TemplateGenerator) => generator.contextName(0)

/** Generates `and` and `or`: the deciding argument is the value, and later ones are not evaluated. */
function shortCircuit(generator: TemplateGenerator, params: readonly unknown[], operator: 'and' | 'or'): unknown {
  const temporary = generator.temporary()
  let code = params.at(-1)
  for (const param of params.slice(0, -1).reverse()) {
    const test = ['helpers.truth(', temporary, '=', param, ')']
    code =
      operator === 'and' ? ['(', test, '?', code, ':', temporary, ')'] : ['(', test, '?', temporary, ':', code, ')']
  }
  return params.length === 1 ? code : ['(', code, ')']
}

/** Code of the statements that `translate` produces, by name. */
const EMITTERS: { readonly [name: string]: Emit } = {
  $and: (generator, params) => shortCircuit(generator, params, 'and'),
  $or: (generator, params) => shortCircuit(generator, params, 'or'),
  $if: (generator, [condition], { fn, inverse }) => {
    const [body, otherwise] = [generator.run(fn, dot(generator)), generator.run(inverse, dot(generator))]
    return ['(helpers.truth(', condition, ')?', body, ':', otherwise, ')']
  },
  $with: (generator, [value], { fn, inverse }) => {
    const kept = generator.temporary()
    const [body, otherwise] = [generator.run(fn, kept), generator.run(inverse, dot(generator))]
    return ['(helpers.truth(', kept, '=', value, ')?', body, ':', otherwise, ')']
  },
  $range: (generator, [value, key, item], { fn, inverse }) => {
    const loop = ['helpers.range(', value, ',', key, ',', item, ',', fn, ')']
    const kept = generator.temporary()
    return [
      generator.position(),
      '(',
      kept,
      '=',
      loop,
      ')===null?',
      generator.run(inverse, dot(generator)),
      ':',
      kept,
      ')',
    ]
  },
  $going: (generator, _params, { fn }) => ['(helpers.flow===0?', generator.run(fn, dot(generator)), ':"")'],
  $assign: (_generator, [slot, value]) => ['(helpers.frame[', slot, ']=', value, ')'],
  $set: (_generator, [slot, value]) => ['(helpers.frame[', slot, ']=', value, ',"")'],
  $flow: (_generator, [flow]) => ['(helpers.flow=', flow, ',"")'],
}

/** Names of these statements. */
export const STATEMENTS: readonly string[] = Object.keys(EMITTERS)
