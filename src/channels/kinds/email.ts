import type { NodemailerError, SMTPPoolSentMessageInfo } from 'nodemailer'
import { z } from 'zod'
import type { Outcome } from '../../domain/delivery.ts'
import { unknownTarget } from '../../outbound/provider-client.ts'
import { scrub } from '../../text/scrub.ts'
import { mailOf } from '../body/mail.ts'
import type { ChannelKind } from '../channel.ts'
import { secret, text } from '../options.ts'

const NOT_A_PORT = 'must be a whole number from 1 to 65535'
const TLS = ['opportunistic', 'require', 'none'] as const
const options = z
  .object({
    smtp_host: text(),
    smtp_port: z
      .int({ error: NOT_A_PORT })
      .min(1, { error: NOT_A_PORT })
      .max(65_535, { error: NOT_A_PORT })
      .default(587),
    username: text(),
    password: secret(),
    from: text(),
    /** Addresses, as a list or separated by commas. */
    to: z
      .union([z.string(), z.array(z.string())], { error: 'must be text or a list' })
      .transform((to) => (typeof to === 'string' ? to.trim() : to.join(', ')))
      .prefault(''),
    subject: text(),
    tls: z.enum(TLS, { error: `must be one of ${TLS.join(', ')}` }).default('opportunistic'),
  })
  .transform((raw) => ({
    host: raw.smtp_host,
    port: raw.smtp_port,
    username: raw.username,
    password: raw.password,
    from: raw.from || raw.username,
    to: raw.to,
    subject: raw.subject,
    tls: raw.tls,
  }))
type Options = z.output<typeof options>

/**
 * As high as the highest `concurrency`: a connection is opened when a send needs one, and the sender bounds the sends.
 */
const MOST_CONNECTIONS = 1_024

/** SMTP with pooled connections. Port 465 speaks TLS from the start. */
export const email: ChannelKind<Options> = {
  name: 'email',
  options,
  threads: true,
  /** Values are escaped for HTML, and decoded again when the mail is plain text. */
  text: { escaping: 'html', limit: { max: 500_000, unit: 'utf16' }, subject: true },
  defaults: { concurrency: 4, rate: { perSecond: 10, burst: 20 } },
  create(options) {
    const opening = transportOf(options)
    opening.catch(() => {})
    const secrets = secretsOf(options)
    return {
      destination: () => 'default',
      async send(message, signal) {
        if (message.target !== undefined) return unknownTarget(message.target)
        try {
          const transport = await opening
          return outcomeOf(await transport.sendMail({ ...mailOf(message, options), signal }), secrets)
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
async function transportOf({ host, port, username, password, tls }: Options) {
  const { createTransport } = await import('nodemailer')
  return createTransport({
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
  })
}

/** Returns the password, as it is and as the SMTP login commands encode it. */
function secretsOf({ username, password }: Options): string[] {
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
