import { z } from 'zod'
import { addressForm } from '../../domain/delivery/delivery.ts'
import { named, oneOf, text, whole } from '../../settings/fields.ts'
import type { ChannelKind } from '../channel.ts'
import { personId, untrimmedSecret } from '../options.ts'

/** Addresses, as a list or separated by commas. */
const addresses = z
  .union([z.string(), z.array(z.string())], { error: 'must be text or a list' })
  .transform((to) => (typeof to === 'string' ? to.trim() : to.join(', ')))

const options = z
  .object({
    smtp_host: text(),
    smtp_port: whole(587, [1, 65_535]),
    username: text(),
    password: untrimmedSecret(),
    from: text(),
    to: addresses.prefault(''),
    other_recipients: named(addresses.refine((to) => to !== '', { error: 'must hold an address' })),
    subject: text(),
    tls: oneOf(['opportunistic', 'require', 'none']),
  })
  .transform((raw) => ({
    host: raw.smtp_host,
    port: raw.smtp_port,
    username: raw.username,
    password: raw.password,
    from: raw.from || raw.username,
    to: raw.to,
    others: raw.other_recipients,
    subject: raw.subject,
    tls: raw.tls,
  }))

export type EmailOptions = z.output<typeof options>

const ONE_ADDRESS = /^[^\s@,;<>]+@[^\s@,;<>]+$/

/** SMTP with pooled connections. Port 465 speaks TLS from the start. */
export const email: ChannelKind<EmailOptions> = {
  name: 'email',
  options,
  threads: true,
  person: personId(ONE_ADDRESS, 'one mail address').meta({ secret: true }),
  targets: (known) => ({
    names: [...known.others.keys()],
    ids: new Map<string, string | null>([
      ...Array.from(known.others, ([name, to]) => [addressForm(to), name] as const),
      [addressForm(known.to), null],
    ]),
  }),
  /** Values are escaped for HTML, and decoded again when the mail is plain text. */
  text: { escaping: 'html', limit: { max: 500_000, unit: 'utf16' }, subject: true },
  defaults: {
    concurrency: 4,
    rate: { perSecond: 10, burst: 20 },
    storm: { rate: { perSecond: 0.5, burst: 20 }, withinMs: 300_000 },
  },
}
