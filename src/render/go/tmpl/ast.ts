/** A statement of a Go template. `at` is the offset in the text, in UTF-16 units. */
export type Statement =
  | { readonly kind: 'text'; readonly at: number; readonly text: string }
  | { readonly kind: 'action'; readonly at: number; readonly pipe: Pipe }
  | Branch
  | Range
  | { readonly kind: 'template'; readonly at: number; readonly name: string; readonly pipe: Pipe | undefined }
  | { readonly kind: 'break' | 'continue'; readonly at: number }

export interface Branch {
  readonly kind: 'if' | 'with'
  readonly at: number
  readonly pipe: Pipe
  readonly body: Statement[]
  readonly otherwise: Statement[]
}

export interface Range {
  readonly kind: 'range'
  readonly at: number
  readonly pipe: Pipe
  readonly body: Statement[]
  readonly otherwise: Statement[]
}

/** A pipeline such as `$a, $b := command | command`. `declares`: with := instead of =. */
export interface Pipe {
  readonly at: number
  readonly variables: readonly string[]
  readonly declares: boolean
  readonly commands: readonly Command[]
}

export interface Command {
  readonly at: number
  readonly operands: readonly Operand[]
}

export type Operand =
  | { readonly kind: 'identifier'; readonly at: number; readonly name: string }
  | { readonly kind: 'dot' | 'nil'; readonly at: number }
  | { readonly kind: 'field'; readonly at: number; readonly names: readonly string[] }
  | { readonly kind: 'variable'; readonly at: number; readonly name: string; readonly names: readonly string[] }
  | { readonly kind: 'chain'; readonly at: number; readonly base: Operand; readonly names: readonly string[] }
  | { readonly kind: 'pipe'; readonly at: number; readonly pipe: Pipe }
  | { readonly kind: 'string'; readonly at: number; readonly value: string }
  /** A number, a bigint or `GoFloat`. */
  | { readonly kind: 'number'; readonly at: number; readonly value: unknown }
  | { readonly kind: 'bool'; readonly at: number; readonly value: boolean }

/** A parsed text: the statements outside of definitions, and the definitions by name. */
export interface Program {
  readonly main: Statement[]
  readonly defined: ReadonlyMap<string, Statement[]>
}
