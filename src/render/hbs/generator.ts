import { type CompiledBody, isolatedHandlebars } from '../templates/handlebars-internals.ts'

const handlebars = isolatedHandlebars()

/** Handlebars' code generator, except that fields are read through `helpers.field`, which returns own members only. */
class OwnFieldsGenerator extends handlebars.JavaScriptCompiler {
  override nameLookup(parent: unknown, name: string, type: string): unknown {
    const method = type === 'helper' ? 'helper' : 'field'
    if (method === 'helper') return `helpers[${this.quotedString(name)}]`
    return ['helpers.field(', parent, ',', this.quotedString(name), ')']
  }

  /** Disables Handlebars' search for equal programs, which takes quadratic time. */
  matchExistingProgram(): undefined {
    return undefined
  }
}
OwnFieldsGenerator.prototype.compiler = OwnFieldsGenerator

/** Parses a text with Handlebars, including its rules for white space. Throws errors of Handlebars. */
export const parseTree = (text: string): object => handlebars.parse(text)

/** Compiles a tree to a function. Helpers other than `helperNames` do not compile. */
export function generate(tree: object, helperNames: Iterable<string>): CompiledBody {
  const knownHelpers = Object.fromEntries([...helperNames].map((name) => [name, true]))
  const options = { knownHelpers, knownHelpersOnly: true, noEscape: true, data: true }
  const environment = new handlebars.Compiler().compile(tree, options)
  return handlebars.template(new OwnFieldsGenerator().compile(environment, options, undefined, true))
}

/** Built-in block helpers of Handlebars: `each`, `if`, `unless` and `with`. */
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
