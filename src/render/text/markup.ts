import type { Escaping } from '../../domain/delivery/message.ts'
import { ESCAPERS } from './escape.ts'

/** Markup of one kind of text. Texts come escaped, addresses do not. */
interface Markup {
  strong(text: string): string
  link(text: string, url: string): string
  /** Separates the lines of a paragraph. */
  readonly lineBreak: string
  /** Begins the line of a problem. */
  readonly item: string
}

/**
 * Markup of the four escapings. In Markdown every line is a paragraph or an item of a list, because not all of the
 * channels that read it show single line breaks.
 */
export const MARKUP: { readonly [escaping in Escaping]: Markup } = {
  html: {
    strong: (text) => `<b>${text}</b>`,
    link: (text, url) => `<a href="${ESCAPERS.html.escape(url)}">${text}</a>`,
    lineBreak: '\n',
    item: '',
  },
  chat: {
    strong: (text) => `*${text}*`,
    link: (text, url) => `<${ESCAPERS.chat.escape(url).replaceAll('|', '%7C')}|${text}>`,
    lineBreak: '\n',
    item: '',
  },
  markdown: {
    strong: (text) => `**${text}**`,
    link: (text, url) => `[${inBrackets(text)}](${url.replaceAll('(', '%28').replaceAll(')', '%29')})`,
    lineBreak: '\n\n',
    item: '- ',
  },
  none: { strong: (text) => text, link: (text, url) => `${text}: ${url}`, lineBreak: '\n', item: '' },
}

/** Replaces what would end the text of a Markdown link too early. */
const inBrackets = (text: string) => text.replaceAll('[', '(').replaceAll(']', ')').replaceAll('\\', '&#92;')
