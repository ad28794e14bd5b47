import type { SendMailOptions } from 'nodemailer'
import type { Message } from '../../domain/message.ts'
import { decodeEntities, textOfHtml } from './html-to-text.ts'

interface MailOptions {
  readonly from: string
  readonly to: string
  /** Used when the template names none; empty: the incident's title is the subject. */
  readonly subject: string
}

/**
 * Returns the mail of one message. Its Message-ID is made of the incident's id, so that mail programs show a mail that
 * was sent twice as one, and the mail of a resolved incident answers that of the firing one.
 */
export function mailOf(message: Message, options: MailOptions): SendMailOptions {
  const { inReplyTo } = message
  return {
    from: options.from,
    to: options.to,
    subject: oneLine(message.subject || options.subject || titleOf(message)),
    messageId: `<${message.incidentId}@${domainOf(options.from)}>`,
    headers: { 'Auto-Submitted': 'auto-generated' },
    ...(inReplyTo === undefined ? {} : { inReplyTo, references: inReplyTo }),
    ...bodyOf(message.text),
  }
}

function titleOf({ title, status }: Message): string {
  return status === 'resolved' ? `Resolved: ${title}` : title
}

/** Replaces line breaks and control characters, so that no header can begin inside a subject. */
function oneLine(text: string): string {
  return text.replace(/[\p{Cc}\u2028\u2029]+/gu, ' ').trim()
}

function domainOf(from: string): string {
  return /@([\w.-]+)/.exec(from)?.[1] ?? 'localhost'
}

/** Matches a tag of the template. Tags in payload values do not match: they were escaped when the text was rendered. */
const HTML =
  /<\/?(?:html|body|head|p|div|br|hr|table|tr|td|ul|ol|li|h[1-6]|b|strong|i|em|u|a|span|font|pre|code|blockquote|img)(?:\s[^<>]*)?\/?>/i

function bodyOf(text: string): { text: string; html?: string } {
  return HTML.test(text) ? { text: textOfHtml(text), html: text } : { text: decodeEntities(text) }
}
