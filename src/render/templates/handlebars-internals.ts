import Handlebars from 'handlebars'

/** Position of a Handlebars node. The node types below are those that the translation of Go templates builds. */
export interface Loc {
  readonly source?: string
  readonly start: { readonly line: number; readonly column: number }
  readonly end: { readonly line: number; readonly column: number }
}

type Strip = { readonly open: false; readonly close: false }
export const NO_STRIP: Strip = { open: false, close: false }

export type Expression =
  | {
      readonly type: 'PathExpression'
      data: boolean
      depth: number
      parts: readonly string[]
      original: string
      loc: Loc
    }
  | { readonly type: 'SubExpression'; path: Expression; params: readonly Expression[]; hash: undefined; loc: Loc }
  | { readonly type: 'StringLiteral'; value: string; original: string; loc: Loc }
  | { readonly type: 'NumberLiteral'; value: number; original: number; loc: Loc }
  | { readonly type: 'BooleanLiteral'; value: boolean; original: boolean; loc: Loc }
  | { readonly type: 'NullLiteral'; loc: Loc }

export interface HandlebarsProgram {
  readonly type: 'Program'
  readonly body: readonly HandlebarsStatement[]
  readonly blockParams: readonly string[]
  readonly strip: object
  readonly loc: Loc
}

export type HandlebarsStatement =
  | { readonly type: 'ContentStatement'; value: string; original: string; loc: Loc }
  | {
      readonly type: 'MustacheStatement'
      path: Expression
      params: readonly Expression[]
      hash: undefined
      escaped: boolean
      strip: Strip
      loc: Loc
    }
  | {
      readonly type: 'BlockStatement'
      path: Expression
      params: readonly Expression[]
      hash: undefined
      program: HandlebarsProgram
      inverse: HandlebarsProgram | undefined
      openStrip: Strip
      inverseStrip: Strip
      closeStrip: Strip
      loc: Loc
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
  Compiler: new () => { compile(program: unknown, options: object): unknown }
  template(spec: unknown): CompiledBody
}

/** Creates a Handlebars instance of its own, so that no helpers registered elsewhere are visible to templates. */
export function isolatedHandlebars(): typeof Handlebars & Internals {
  return Handlebars.create() as unknown as typeof Handlebars & Internals
}
