import type { SendMailOptions } from 'nodemailer'
import type { Message } from '../../domain/message.ts'
import { decodeEntities, textOfHtml } from './html.ts'

/** What the configuration says of every mail. */
export interface MailOptions {
  readonly from: string
  readonly to: string
  /** When a template names none; empty: the incident's title. */
  readonly subject: string
}

/**
 * The mail of one message. Its Message-ID comes from the incident, so that a mail sent twice is recognised as one, and the mail of a
 * resolved incident answers the one that fired.
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

/** No header can begin inside a subject. */
function oneLine(text: string): string {
  return text.replace(/[\p{Cc}\u2028\u2029]+/gu, ' ').trim()
}

function domainOf(from: string): string {
  return /@([\w.-]+)/.exec(from)?.[1] ?? 'localhost'
}

/** Tags of the template: those of payload values were escaped when it was rendered. */
const HTML =
  /<\/?(?:html|body|head|p|div|br|hr|table|tr|td|ul|ol|li|h[1-6]|b|strong|i|em|u|a|span|font|pre|code|blockquote|img)(?:\s[^<>]*)?\/?>/i

function bodyOf(text: string): { text: string; html?: string } {
  return HTML.test(text) ? { text: textOfHtml(text), html: text } : { text: decodeEntities(text) }
}
