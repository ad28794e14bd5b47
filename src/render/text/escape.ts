import type { Escaping } from '../../domain/delivery/message.ts'
import { Markup, stringIn } from '../go/values.ts'

/** Escapes the values that a template prints, for one kind of markup. */
export interface Escaper {
  escape(text: string): string
  /** Escapes text inside code of Markdown; absent for other markup. */
  readonly code?: { readonly span: (text: string) => string; readonly fence: (text: string) => string }
  /** Marks a text as markup, which is printed without escaping. */
  mark(text: string): unknown
}

const HTML_SPECIAL = /[&<>"']/
const CHAT_SPECIAL = /[&<>]/
const MARKDOWN_SPECIAL = /[<`]|\]\(/
/** Begins a tag, also when the next value goes on. */
const TAG_START = /<(?=[a-z/!?]|$)/gi

/**
 * - `html` escapes & < > " '
 * - `chat` escapes & < >
 * - `markdown` breaks characters that begin a tag, a mention, code or a link; in code with a blank, because there an entity would
 *   be shown, and some readers of Markdown interpret tags there
 * - `none` escapes nothing
 */
export const ESCAPERS: { readonly [escaping in Escaping]: Escaper } = {
  html: { escape: (text) => (HTML_SPECIAL.test(text) ? escapeHtml(text) : text), mark: (text) => new Markup(text) },
  chat: { escape: (text) => (CHAT_SPECIAL.test(text) ? escapeChat(text) : text), mark: (text) => new Markup(text) },
  markdown: {
    escape: (text) => (MARKDOWN_SPECIAL.test(text) ? escapeMarkdown(text) : text),
    code: {
      span: (text) => (MARKDOWN_SPECIAL.test(text) ? inert(text).replaceAll('`', "'") : text),
      fence: (text) => (MARKDOWN_SPECIAL.test(text) ? inert(text).replaceAll('```', "'''") : text),
    },
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

/** Equals Go's template.HTMLEscapeString. */
export const escapeHtml = (text: string): string => text.replace(/[&<>"'\0]/g, (character) => HTML[character] ?? '')

const escapeChat = (text: string): string => text.replace(/[&<>]/g, (character) => HTML[character] ?? '')

/** Uses an entity instead of a backslash, because all channels that read Markdown show entities as their characters. */
const escapeMarkdown = (text: string): string =>
  text.replaceAll('<', '&#60;').replaceAll('`', "'").replaceAll('](', '] (')

/** Breaks up tags, mentions and Markdown links with a blank. */
export const inert = (text: string): string => text.replace(TAG_START, '< ').replaceAll('](', '] (')

type Helper = (...values: readonly unknown[]) => unknown

/**
 * Wraps a helper so that its result is markup when all its text arguments are: `upper "<b>"` stays markup, `upper
 * .name` and `replace .name "a" "<b>"` are escaped.
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

/** Tells text, and values that may contain text, that do not come from the template itself. */
const isUnmarked = (value: unknown) =>
  typeof value === 'string' || (typeof value === 'object' && !(value instanceof Markup))
