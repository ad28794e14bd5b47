import Handlebars from 'handlebars'

/** Position of a Handlebars node. */
export interface Loc {
  readonly start: Place
  readonly end: Place
}

interface Place {
  readonly line: number
  readonly column: number
}

/** A node of a tree of Handlebars: the fields that are built or rewritten here. */
export interface Node {
  type: string
  path?: Node
  params?: readonly Node[]
  hash?: { readonly pairs: { key: string; value: Node }[] }
  body?: readonly Node[]
  program?: Node
  inverse?: Node
  parts?: string[]
  original?: unknown
  value?: unknown
  depth?: number
  data?: boolean
  escaped?: boolean
  blockParams?: readonly string[]
  loc?: Loc
}

/** The methods of Handlebars' code generator that subclasses use; see "JavaScriptCompiler" in its documentation. */
interface Generator {
  readonly source: {
    functionCall(callee: unknown, type: string, params: readonly unknown[]): unknown
    currentLocation?: Loc
  }
  compiler: unknown
  nameLookup(parent: unknown, name: string, type: string): unknown
  contextName(depth: number): string
  push(code: unknown): void
  pushStackLiteral(code: string): void
  popStack(): unknown
  useRegister(name: string): void
  quotedString(text: string): string
  resolvePath(type: string, parts: readonly string[], start: number, falsy?: boolean, strict?: boolean): void
  setupParams(helper: string, count: number, params: unknown[]): { fn?: unknown; inverse?: unknown }
  compile(environment: unknown, options: object, context: undefined, asObject: true): unknown
}

export type CompiledBody = (context: unknown, options: object) => string

interface Internals {
  JavaScriptCompiler: new () => Generator
  Compiler: new () => { compile(tree: unknown, options: object): unknown }
  template(spec: unknown): CompiledBody
}

/**
 * Returns the options with which a compiled body runs: as a partial, because otherwise Handlebars builds a table of
 * wrapped helpers for every rendering.
 */
export const runOptions = (helpers: object) => ({
  partial: true,
  helpers,
  partials: {},
  hooks: {},
  decorators: {},
  protoAccessControl: {},
})

/** A Handlebars instance of its own, so that no helpers registered elsewhere are visible to templates. */
export const handlebars = Handlebars.create() as unknown as typeof Handlebars & Internals

/** Handlebars' code generator, without its search for equal programs, which takes quadratic time. */
export class CodeGenerator extends handlebars.JavaScriptCompiler {
  matchExistingProgram(): undefined {
    return undefined
  }
}

interface GenerateOptions {
  readonly Generator: new () => CodeGenerator
  /** Helpers that the tree may call; others do not compile. */
  readonly helpers: Iterable<string>
  /** The code reads `@` variables. */
  readonly data: boolean
}

/** Compiles a tree to a function. */
export function generate(tree: Node, { Generator, helpers, data }: GenerateOptions): CompiledBody {
  Generator.prototype.compiler = Generator
  const knownHelpers = Object.fromEntries([...helpers].map((name) => [name, true]))
  const options = { knownHelpers, knownHelpersOnly: true, noEscape: true, data }
  const environment = new handlebars.Compiler().compile(tree, options)
  return handlebars.template(new Generator().compile(environment, options, undefined, true))
}
