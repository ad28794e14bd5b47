import type { Payload } from '../../domain/incident.ts'
import type { TextRules } from '../../domain/message.ts'
import { compile } from './compile.ts'
import { asBody, splitSource, splitText, subjectOf } from './subject.ts'
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
