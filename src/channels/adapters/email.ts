import type { NodemailerError, SendMailOptions, SMTPPoolSentMessageInfo } from 'nodemailer'
import type { Outcome } from '../../domain/delivery/delivery.ts'
import type { Message } from '../../domain/delivery/message.ts'
import type { NetworkSettings } from '../../outbound/network.ts'
import { destinationKey, destinationOf, unknownTarget } from '../../outbound/provider-client.ts'
import { connectBySocks } from '../../outbound/socks.ts'
import { scrub } from '../../text/scrub.ts'
import { decodeEntities, textOfHtml } from '../body/html-to-text.ts'
import type { Adapter } from '../channel.ts'
import type { EmailOptions } from '../kinds/email.ts'

/**
 * As high as the highest `concurrency`: a connection is opened when a send needs one, and the sender bounds the sends.
 */
const MOST_CONNECTIONS = 1_024

/** SMTP with pooled connections. Port 465 speaks TLS from the start. */
export const email: Adapter<EmailOptions> = {
  create(options, { network }) {
    const opening = transportOf(options, network)
    opening.catch(() => {})
    const secrets = secretsOf(options)
    return {
      destination: ({ target }) => destinationKey(target, options.others),
      async send(message, signal) {
        const to = destinationOf(message.target, options.to, options.others)
        if (to === undefined) return unknownTarget(message.target ?? '')
        try {
          const transport = await opening
          const mail = mailOf(message, { ...options, to })
          return outcomeOf(await transport.sendMail({ ...mail, signal }), secrets)
        } catch (error) {
          if (signal.aborted) return { kind: 'retry', reason: 'no answer before the deadline', mayDuplicate: true }
          return outcomeOfError(error as NodemailerError, secrets)
        }
      },
      async close() {
        const transport = await opening
        transport.close()
      },
    }
  },
}

/** Loads nodemailer when the channel is created: every thread imports the table of channels, only one sends mail. */
async function transportOf({ host, port, username, password, tls }: EmailOptions, network: NetworkSettings) {
  const { createTransport } = await import('nodemailer')
  const transport = createTransport({
    pool: true,
    host,
    port,
    secure: port === 465 && tls !== 'none',
    requireTLS: tls === 'require',
    ignoreTLS: tls === 'none',
    ...(username === '' ? {} : { auth: { user: username, pass: password } }),
    maxConnections: MOST_CONNECTIONS,
    disableFileAccess: true,
    disableUrlAccess: true,
    ...(network.proxy === '' ? {} : { proxy: network.proxy }),
    ...(network.insecureSkipVerify ? { tls: { rejectUnauthorized: false } } : {}),
  })
  transport.set('proxy_handler_socks5', (_proxy, _options, callback) => {
    connectBySocks(network.proxy, { host, port }).then(
      (connection) => callback(null, { connection }),
      (error: Error) => callback(error),
    )
  })
  return transport
}

/** Returns the password, as it is and as the SMTP login commands encode it. */
function secretsOf({ username, password }: EmailOptions): string[] {
  if (password === '') return []
  return [password, base64(password), base64(`\0${username}\0${password}`)]
}
const base64 = (text: string) => Buffer.from(text).toString('base64')

function outcomeOf({ messageId, rejected, rejectedErrors }: SMTPPoolSentMessageInfo, secrets: string[]): Outcome {
  if (rejected.length === 0) return { kind: 'sent', messageId }
  const why = rejectedErrors?.map(({ response }) => response ?? '') ?? []
  const refused = rejected.map((recipient, at) => `${addressOf(recipient)} (${why[at] ?? ''})`)
  return { kind: 'sent', messageId, note: scrub(`refused for ${refused.join(', ')}`, secrets) }
}
const addressOf = (recipient: string | { address: string }) =>
  typeof recipient === 'string' ? recipient : recipient.address

/** A 4xx for any recipient is tried again; otherwise a 5xx is final. */
function outcomeOfError(error: NodemailerError, secrets: string[]): Outcome {
  const reason = scrub([error.code, error.message].filter((part) => part).join(': '), secrets)
  const codes = [error, ...(error.rejectedErrors ?? [])].map(({ responseCode }) => responseCode ?? 0)
  if (codes.some((code) => code >= 400 && code < 500)) return { kind: 'retry', reason }
  if (codes.some((code) => code >= 500) || REFUSED_HERE.has(error.code ?? '')) return { kind: 'failed', reason }
  return beforeMessage(error) ? { kind: 'retry', reason } : { kind: 'retry', reason, mayDuplicate: true }
}

/** Errors before anything is sent: the configured login or addresses cannot be used. */
const REFUSED_HERE = new Set(['EAUTH', 'ENOAUTH', 'EENVELOPE', 'ECONFIG', 'EMAXRECIPIENTS'])
/** Matches the codes of certificate errors. */
const CERTIFICATE = /CERT|ISSUER|CRL/
const NO_SESSION = new Set(['EDNS', 'ETLS', 'EPROXY'])

/** Returns true when the error certainly came before the message was written. In doubt, the mail may arrive twice. */
function beforeMessage({ code = '', syscall, originalCode = '', timeoutType }: NodemailerError): boolean {
  if (syscall === 'connect' || syscall === 'getaddrinfo' || CERTIFICATE.test(originalCode)) return true
  return NO_SESSION.has(code) || (timeoutType !== undefined && timeoutType !== 'SOCKET_TIMEOUT')
}

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
