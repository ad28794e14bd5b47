export type TokenKind =
  | 'text'
  | 'open'
  | 'close'
  | 'space'
  | 'assign'
  | 'declare'
  | 'pipe'
  | 'comma'
  | '('
  | ')'
  | 'string'
  | 'raw'
  | 'char'
  | 'number'
  | 'variable'
  | 'field'
  | 'dot'
  | 'bool'
  | 'keyword'
  | 'identifier'
  | 'eof'

export interface Token {
  readonly kind: TokenKind
  readonly text: string
  /** Offset in the template's text, in UTF-16 units. */
  readonly at: number
}

/** A syntax error at an offset of the text; the compiler converts it to a `TemplateSyntaxError`. */
export class GoSyntaxError extends Error {
  readonly at: number
  constructor(at: number, reason: string) {
    super(reason)
    this.at = at
  }
}

const MAX_QUOTED_LENGTH = 40

/** Quotes a part of a template for an error message: escaped, cut to 40 characters. */
export function quote(text: string, mark = '"'): string {
  const shown = text.length > MAX_QUOTED_LENGTH ? `${text.slice(0, MAX_QUOTED_LENGTH)}…` : text
  const body = JSON.stringify(shown.toWellFormed()).slice(1, -1)
  return mark === '"' ? `"${body}"` : `${mark}${body.replaceAll('\\"', '"')}${mark}`
}
