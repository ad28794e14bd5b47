import type { Escaping, TextRules } from '../../domain/delivery/message.ts'
import { CodedError } from '../../domain/errors.ts'
import type { Payload } from '../../domain/incident.ts'
import type { Escaper } from '../text/escape.ts'

/**
 * A template as read from its file. The extension of `file` selects the dialect: `.hbs` is Handlebars, any other Go
 * text/template.
 */
export interface TemplateSource {
  readonly file: string
  readonly text: string
  /** Definitions that a Go template may use. Its own definitions win, and later files win over earlier ones. */
  readonly shared?: readonly TemplateSource[]
}

/** The template of a channel, with the rules for its texts. */
export interface ChannelTemplate {
  readonly channel: string
  readonly source: TemplateSource
  readonly rules: TextRules
  /** It is for some incidents: those of a route, or of the log agent. Absent: the channel's own. */
  readonly only?: 'route' | 'agent'
}

/** A template that one of the dialects has compiled. */
export interface Dialect {
  /** Renders a payload synchronously; may throw anything. */
  render(payload: Payload): string
  /** Returns the place of the last call. */
  position(): Position & { readonly file: string }
}

export interface DialectOptions extends Pick<CompileOptions, 'env' | 'now'> {
  readonly escaper: Escaper
  readonly maxBytes: number
}

export interface CompileOptions {
  readonly escaping: Escaping
  /** Returns an allowed environment variable; undefined for any other. */
  readonly env: (name: string) => string | undefined
  readonly now: () => Date
  /** Maximum output of one rendering in UTF-8 bytes; 1 MiB when absent. */
  readonly maxBytes?: number
}

/**
 * Renders one payload, synchronously and without changing it. Throws template_failed, template_output. Has no deadline:
 * the caller has to run it on a thread that it can terminate.
 */
export type CompiledTemplate = (payload: Payload) => string

/** A position in a template's text. Line and column are 1-based; columns count characters. */
export interface Position {
  readonly line: number
  readonly column: number
}

/**
 * A template that does not parse (template_invalid). The message is `file:line:column: reason`, then the line of the
 * text and a caret under the position.
 */
export class TemplateSyntaxError extends CodedError {
  readonly file: string
  readonly line: number
  readonly column: number
  /** The reason, without the position. */
  readonly reason: string
  constructor(source: TemplateSource, at: Position, reason: string) {
    super('template_invalid', `${source.file}:${at.line}:${at.column}: ${reason}\n${excerpt(source.text, at)}`)
    this.name = 'TemplateSyntaxError'
    this.file = source.file
    this.line = at.line
    this.column = at.column
    this.reason = reason
  }
}

const EXCERPT_CHARACTERS = 100

/** Returns the line with a caret under the position; of a long line the part around it. */
function excerpt(text: string, { line, column }: Position): string {
  const characters = [...(text.split('\n', line)[line - 1] ?? '')]
  const from = Math.max(0, Math.min(column - 1 - EXCERPT_CHARACTERS / 2, characters.length - EXCERPT_CHARACTERS))
  const shown = characters
    .slice(from, from + EXCERPT_CHARACTERS)
    .map((c) => (c < ' ' && c !== '\t' ? ' ' : c))
    .join('')
  const indent = shown.slice(0, column - 1 - from).replace(/[^\t]/g, ' ')
  return `  ${shown}\n  ${indent}^`
}

/** Returns the position of an offset (in UTF-16 units) in `text`. */
export function positionAt(text: string, offset: number): Position {
  const before = text.slice(0, offset)
  const lineStart = before.lastIndexOf('\n') + 1
  let line = 1
  for (let at = before.indexOf('\n'); at !== -1; at = before.indexOf('\n', at + 1)) line++
  return { line, column: [...before.slice(lineStart)].length + 1 }
}
