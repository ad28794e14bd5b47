import { type CompiledBody, isolatedHandlebars } from '../templates/handlebars-internals.ts'

const handlebars = isolatedHandlebars()

/** Handlebars' code generator, except that every field is read through `helpers.field`, which knows own members only. */
class OwnFieldsGenerator extends handlebars.JavaScriptCompiler {
  override nameLookup(parent: unknown, name: string, type: string): unknown {
    const method = type === 'helper' ? 'helper' : 'field'
    if (method === 'helper') return `helpers[${this.quotedString(name)}]`
    return ['helpers.field(', parent, ',', this.quotedString(name), ')']
  }

  /** Handlebars looks for equal programs among all before, which is quadratic. */
  matchExistingProgram(): undefined {
    return undefined
  }
}
OwnFieldsGenerator.prototype.compiler = OwnFieldsGenerator

/** The tree of a text, with Handlebars' rules for white space; throws what Handlebars throws. */
export const parseTree = (text: string): object => handlebars.parse(text)

export function generate(tree: object, helperNames: Iterable<string>): CompiledBody {
  const knownHelpers = Object.fromEntries([...helperNames].map((name) => [name, true]))
  const options = { knownHelpers, knownHelpersOnly: true, noEscape: true, data: true }
  const environment = new handlebars.Compiler().compile(tree, options)
  return handlebars.template(new OwnFieldsGenerator().compile(environment, options, undefined, true))
}

/** Handlebars' own `each`, `if`, `unless` and `with`. */
export const builtInBlocks = handlebars.helpers as unknown as {
  readonly [name: string]: (this: unknown, value: unknown, options: BlockOptions) => string
}

export interface BlockOptions {
  fn(context: unknown, options?: object): string
  inverse(context: unknown, options?: object): string
  readonly hash: object
  readonly data?: object
  readonly loc?: { readonly start: { readonly line: number; readonly column: number } }
}
