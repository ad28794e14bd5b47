import type { Escaping } from '../../domain/message.ts'
import { Markup, stringIn } from '../go/values.ts'

/** How a channel's templates print values. */
export interface Escaper {
  escape(text: string): string
  /** Text that is to be printed as it is. */
  mark(text: string): unknown
}

const HTML_SPECIAL = /[&<>"']/
const CHAT_SPECIAL = /[&<>]/
const MARKDOWN_SPECIAL = /[<`]|\]\(/

/** `html` escapes & < > " ', `chat` escapes & < >, `markdown` what opens a tag, a mention, code or a link, `none` nothing. */
export const ESCAPERS: { readonly [escaping in Escaping]: Escaper } = {
  html: { escape: (text) => (HTML_SPECIAL.test(text) ? escapeHtml(text) : text), mark: (text) => new Markup(text) },
  chat: { escape: (text) => (CHAT_SPECIAL.test(text) ? escapeChat(text) : text), mark: (text) => new Markup(text) },
  markdown: {
    escape: (text) => (MARKDOWN_SPECIAL.test(text) ? escapeMarkdown(text) : text),
    mark: (text) => new Markup(text),
  },
  none: { escape: (text) => text, mark: (text) => text },
}

const HTML: { readonly [character: string]: string } = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&#34;',
  "'": '&#39;',
  '\0': '\ufffd',
}

/** Go's template.HTMLEscapeString. */
export const escapeHtml = (text: string): string => text.replace(/[&<>"'\0]/g, (character) => HTML[character] ?? '')

const escapeChat = (text: string): string => text.replace(/[&<>]/g, (character) => HTML[character] ?? '')

/** Entities are shown as what they stand for by all who read Markdown here; a backslash is not. */
const escapeMarkdown = (text: string): string =>
  text.replaceAll('<', '&#60;').replaceAll('`', "'").replaceAll('](', '] (')

type Helper = (...values: readonly unknown[]) => unknown

/**
 * A helper whose result is text of the template when all text that went in was: `upper "<b>"` stays markup, `upper .name` and
 * `replace .name "a" "<b>"` do not.
 */
export function keepMarkup(helper: Helper, { mark }: Escaper): Helper {
  return (...values) => {
    for (let at = 0; at < values.length; at++)
      if (values[at] instanceof Markup) return applyMarked(helper, values, mark)
    return helper(...values)
  }
}

function applyMarked(helper: Helper, values: readonly unknown[], mark: Escaper['mark']): unknown {
  const result = helper(...values.map((value) => stringIn(value) ?? value))
  if (values.some(isUnmarked)) return result
  if (Array.isArray(result)) return result.map((item) => (typeof item === 'string' ? mark(item) : item))
  return typeof result === 'string' ? mark(result) : result
}

/** Text, or what may hold text, from outside of the template. */
const isUnmarked = (value: unknown) =>
  typeof value === 'string' || (typeof value === 'object' && !(value instanceof Markup))
