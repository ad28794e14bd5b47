import { CodeGenerator, handlebars, type Loc, type Node } from '../templates/handlebars-internals.ts'

/** Handlebars' code generator, except that fields are read through `helpers.field`, which returns own members only. */
export class OwnFieldsGenerator extends CodeGenerator {
  override nameLookup(parent: unknown, name: string, type: string): unknown {
    if (type === 'helper') return `helpers[${this.quotedString(name)}]`
    return ['helpers.field(', parent, ',', this.quotedString(name), ')']
  }
}

/** Parses a text with Handlebars, including its rules for white space. Throws errors of Handlebars. */
export const parseTree = (text: string): Node => handlebars.parse(text) as unknown as Node

/** Built-in block helpers of Handlebars: `each`, `if`, `unless` and `with`. */
export const builtInBlocks = handlebars.helpers as unknown as {
  readonly [name: string]: (this: unknown, value: unknown, options: BlockOptions) => string
}

export interface BlockOptions {
  fn(context: unknown, options?: object): string
  inverse(context: unknown, options?: object): string
  readonly hash: object
  readonly data?: object
  readonly loc?: Loc
}
