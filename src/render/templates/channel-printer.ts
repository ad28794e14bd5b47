import type { TextRules } from '../../domain/delivery/message.ts'
import type { Payload } from '../../domain/incident.ts'
import { compile } from './compile.ts'
import { type CompiledTemplate, type CompileOptions, type TemplateSource, TemplateSyntaxError } from './template.ts'

export interface PrintedText {
  readonly text: string
  /** One line. Set when the channel has subjects and the template prints one. */
  readonly subject?: string
}

export type ChannelPrinter = (payload: Payload) => PrintedText

interface PrinterOptions extends Pick<CompileOptions, 'env' | 'now'> {
  readonly rules: TextRules
}

/**
 * Compiles a template for a channel; its `Subject:` line separately where the channel has subjects. Throws
 * `TemplateSyntaxError`.
 */
export function createPrinter(source: TemplateSource, { rules, env, now }: PrinterOptions): ChannelPrinter {
  const options: CompileOptions = { escaping: rules.escaping, env, now }
  const whole = compile(source, options)
  if (!rules.subject) return (payload) => ({ text: whole(payload) })
  const split = splitSource(source)
  const head = split && compileOrUndefined(split.head, { ...options, escaping: 'none' })
  const body = split && compileOrUndefined(split.body, options)
  if (!head || !body) return (payload) => splitText(whole(payload))
  return (payload) => {
    const subject = subjectOf(head(payload))
    return subject === undefined ? { text: whole(payload) } : { subject, text: asBody(body(payload)) }
  }
}

/** Returns undefined for a part that does not parse alone. */
function compileOrUndefined(source: TemplateSource, options: CompileOptions): CompiledTemplate | undefined {
  try {
    return compile(source, options)
  } catch (error) {
    if (error instanceof TemplateSyntaxError) return undefined
    throw error
  }
}

const SUBJECT = /^Subject:[ \t]*/i
const SUBJECT_LINE = /^Subject:.*(?:\n|$)/im

/**
 * Splits a template with a line `Subject: ...` into one for the subject and one for the body; both keep the text before
 * that line. So a line break in a value cannot add lines to the body. A part may not parse alone. Returns undefined
 * without such a line.
 */
function splitSource(source: TemplateSource): { head: TemplateSource; body: TemplateSource } | undefined {
  const line = SUBJECT_LINE.exec(source.text)
  if (!line) return undefined
  const before = source.text.slice(0, line.index)
  const after = source.text.slice(line.index + line[0].length)
  return { head: { ...source, text: before + line[0] }, body: { ...source, text: before + after } }
}

/** Returns the subject in the text of a split template's head; undefined when other text precedes it. */
function subjectOf(head: string): string | undefined {
  const text = head.trimStart()
  return SUBJECT.test(text) ? asSubject(text.replace(SUBJECT, '')) : undefined
}

/** Splits a rendered text whose first line is `Subject: ...`. */
function splitText(text: string): { subject?: string; text: string } {
  const start = text.trimStart()
  if (!SUBJECT.test(start)) return { text }
  const end = start.indexOf('\n')
  const line = end === -1 ? start : start.slice(0, end)
  return { subject: asSubject(line.replace(SUBJECT, '')), text: asBody(start.slice(line.length)) }
}

const MAX_SUBJECT_CHARACTERS = 250

/** Returns the text on one line, without control characters, cut to 250 characters. */
function asSubject(text: string): string {
  const line = text.replace(/[\p{Cc}\u2028\u2029]+/gu, ' ').trim()
  return [...line].slice(0, MAX_SUBJECT_CHARACTERS).join('')
}

/** Removes the blank lines between subject and body. */
function asBody(text: string): string {
  return text.replace(/^(?:[ \t]*\r?\n)+/, '')
}
