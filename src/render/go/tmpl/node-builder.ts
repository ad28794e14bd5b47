import {
  type Expression,
  type HandlebarsProgram,
  type HandlebarsStatement,
  type Loc,
  NO_STRIP,
} from '../../templates/handlebars-internals.ts'
import { positionAt } from '../../templates/template.ts'

export interface Bodies {
  readonly program: HandlebarsProgram
  readonly inverse?: HandlebarsProgram | undefined
}

/** Builds Handlebars nodes with the position `loc`. */
export class NodeBuilder {
  protected loc: Loc = locAt(1, 1)
  private readonly linesBefore: number
  private readonly positions: (at: number) => { line: number; column: number }

  /** @param linesBefore number of lines in the texts before this one; added to line numbers */
  constructor(text: string, linesBefore: number) {
    this.linesBefore = linesBefore
    this.positions = positionsIn(text)
  }

  protected at(offset: number): Loc {
    const { line, column } = this.positions(offset)
    return locAt(this.linesBefore + line, column)
  }

  protected content(text: string): HandlebarsStatement {
    return { type: 'ContentStatement', value: text, original: text, loc: this.loc }
  }

  protected mustache(name: string, params: readonly Expression[]): HandlebarsStatement {
    return {
      type: 'MustacheStatement',
      path: this.path([name]),
      params,
      hash: undefined,
      escaped: false,
      strip: NO_STRIP,
      loc: this.loc,
    }
  }

  protected block(name: string, params: readonly Expression[], { program, inverse }: Bodies): HandlebarsStatement {
    const strips = { openStrip: NO_STRIP, inverseStrip: NO_STRIP, closeStrip: NO_STRIP }
    return {
      type: 'BlockStatement',
      path: this.path([name]),
      params,
      hash: undefined,
      program,
      inverse,
      ...strips,
      loc: this.loc,
    }
  }

  protected call(name: string, params: readonly Expression[]): Expression {
    return { type: 'SubExpression', path: this.path([name]), params, hash: undefined, loc: this.loc }
  }

  protected path(parts: readonly string[]): Expression {
    return { type: 'PathExpression', data: false, depth: 0, parts, original: parts.join('.') || 'this', loc: this.loc }
  }

  protected data(parts: readonly string[]): Expression {
    return { type: 'PathExpression', data: true, depth: 0, parts, original: `@${parts.join('.')}`, loc: this.loc }
  }

  protected string(value: string): Expression {
    return { type: 'StringLiteral', value, original: value, loc: this.loc }
  }

  protected number(value: number): Expression {
    return { type: 'NumberLiteral', value, original: value, loc: this.loc }
  }

  protected nil(): Expression {
    return { type: 'NullLiteral', loc: this.loc }
  }
}

const locAt = (line: number, column: number): Loc => ({ start: { line, column }, end: { line, column } })

/** Creates a function from an offset to its position, by binary search in the line starts. */
function positionsIn(text: string): (at: number) => { line: number; column: number } {
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
    return { line: low + 1, column: positionAt(text.slice(start, start + Math.min(at - start, 2000)), 2000).column }
  }
}
