import { CodedError } from '../../domain/errors.ts'
import type { Payload } from '../../domain/incident.ts'
import type { Escaping, TextRules } from '../../domain/message.ts'

/** A template as it was read. The ending of `file` picks the dialect: `.hbs` is Handlebars, everything else Go text/template. */
export interface TemplateSource {
  readonly file: string
  readonly text: string
  /** Definitions that a template of the Go dialect may use; what it defines itself, and what later ones define, goes first. */
  readonly shared?: readonly TemplateSource[]
}

/** The template of a channel, with the rules for its texts. */
export interface ChannelTemplate {
  readonly channel: string
  readonly source: TemplateSource
  readonly rules: TextRules
}

export interface CompileOptions {
  readonly escaping: Escaping
  /** Reads one environment variable; knows allowed names only. */
  readonly env: (name: string) => string | undefined
  readonly now: () => Date
  /** The most one rendering may print, in UTF-8 bytes; 1 MiB when absent. */
  readonly maxBytes?: number
}

/** The most a rendering prints unless `maxBytes` says otherwise. */
export const MAX_BYTES = 1024 * 1024

/** Counts bytes only where they decide: that makes one piece of a text, which may be far beyond the bound. */
export function exceeds(text: string, maxBytes: number): boolean {
  return text.length > maxBytes || (text.length * 3 > maxBytes && Buffer.byteLength(text) > maxBytes)
}

/**
 * Renders one payload, synchronously and without touching it. Throws `CodedError` with `template_failed` or `template_output`;
 * there is no deadline inside, whoever calls it ends the thread.
 */
export type CompiledTemplate = (payload: Payload) => string

/** A place in a template's text; line and column count from 1, columns in characters. */
export interface Position {
  readonly line: number
  readonly column: number
}

/** A template that does not parse. The message is `file:line:column: what`, then the line of the text and a caret under the place. */
export class TemplateSyntaxError extends CodedError {
  readonly file: string
  readonly line: number
  readonly column: number
  /** What is wrong, without the place. */
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

/** The line of the fault with a caret below; of a long line only the part around the place. */
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

/** The place of an offset (in UTF-16 units) of `text`. */
export function positionAt(text: string, offset: number): Position {
  const before = text.slice(0, offset)
  const lineStart = before.lastIndexOf('\n') + 1
  let line = 1
  for (let at = before.indexOf('\n'); at !== -1; at = before.indexOf('\n', at + 1)) line++
  return { line, column: [...before.slice(lineStart)].length + 1 }
}
