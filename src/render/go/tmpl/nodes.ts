import type { Loc, Node } from '../../templates/handlebars-internals.ts'
import { positionAt } from '../../templates/template.ts'

/** One text of a template: its own, or a shared file. */
export interface TextPart {
  readonly text: string
  /** Number of lines in the texts before it. */
  readonly linesBefore: number
}

/** Results that all texts of a template add to. */
export interface SharedResults {
  /** Values of `@k0`, `@k1` and so on. */
  readonly constants: unknown[]
  /** Names of `HELPERS` that are called, as `f_name` in the generated code. */
  readonly called: Set<string>
  /** Converts a text literal that becomes a value, so that it is not escaped. */
  readonly mark: (text: string) => unknown
}

/** Name of a helper in generated code. */
export const helperName = (name: string): string => `f_${name}`

export const program = (loc: Loc, body: readonly Node[]): Node => ({ type: 'Program', body, blockParams: [], loc })

export const content = (loc: Loc, value: string): Node => ({ type: 'ContentStatement', value, loc })

/** A call of a helper, as an expression. */
export const call = (loc: Loc, name: string, ...params: readonly Node[]): Node => ({
  type: 'SubExpression',
  path: path(loc, [name]),
  params,
  loc,
})

/** A call of a helper, as a statement. */
export const statement = (loc: Loc, name: string, ...params: readonly Node[]): Node => ({
  ...call(loc, name, ...params),
  type: 'MustacheStatement',
})

/** The bodies of a block. */
export interface Bodies {
  readonly program: Node
  readonly inverse?: Node
}

export const block = (loc: Loc, { name, params }: { name: string; params: readonly Node[] }, bodies: Bodies): Node => ({
  ...call(loc, name, ...params),
  type: 'BlockStatement',
  ...bodies,
})

/** A field of the dot; without parts the dot itself. */
export function path(loc: Loc, parts: readonly string[]): Node {
  return { type: 'PathExpression', data: false, depth: 0, parts: [...parts], original: parts.join('.') || 'this', loc }
}

/** A variable, or a constant. */
export const data = (loc: Loc, parts: readonly string[]): Node => ({ ...path(loc, parts), data: true })

const LITERALS = { string: 'StringLiteral', number: 'NumberLiteral', boolean: 'BooleanLiteral' } as const

export function literal(loc: Loc, value: string | number | boolean | null): Node {
  const type = value === null ? 'NullLiteral' : LITERALS[typeof value as keyof typeof LITERALS]
  return { type, value, loc }
}

/** A call that fails the rendering. */
export const fail = (loc: Loc, message: string) => call(loc, 'fail', literal(loc, message))

/**
 * Creates a function from an offset to its position, by binary search in the line starts.
 * @param linesBefore number of lines in the texts before this one; added to line numbers
 */
export function locator(text: string, linesBefore: number): (at: number) => Loc {
  const starts = [0]
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) starts.push(at + 1)
  return (at) => {
    let low = 0
    for (let high = starts.length; high - low > 1; ) {
      const middle = (low + high) >> 1
      if ((starts[middle] ?? 0) <= at) low = middle
      else high = middle
    }
    const start = starts[low] ?? 0
    const { column } = positionAt(text.slice(start, start + Math.min(at - start, 2000)), 2000)
    const place = { line: linesBefore + low + 1, column }
    return { start: place, end: place }
  }
}
