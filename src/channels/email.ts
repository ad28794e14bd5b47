import { z } from 'zod'
import type { ChannelKind } from './channel.ts'
import { secret, text } from './options.ts'

const NOT_A_PORT = 'must be a whole number from 1 to 65535'
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
    to: text(),
    subject: text(),
    tls: z
      .enum(['opportunistic', 'require', 'none'], { error: 'must be one of opportunistic, require, none' })
      .default('opportunistic'),
  })
  .transform((raw) => ({
    smtpHost: raw.smtp_host,
    smtpPort: raw.smtp_port,
    username: raw.username,
    password: raw.password,
    from: raw.from || raw.username,
    to: raw.to,
    subject: raw.subject,
    tls: raw.tls,
  }))

export const email: ChannelKind<z.output<typeof options>> = {
  name: 'email',
  options,
  text: { escaping: 'html', limit: { max: 500_000, unit: 'utf16' }, subject: true },
  defaults: { concurrency: 4, rate: { perSecond: 10, burst: 20 } },
  create: () => {
    throw new Error('not built yet')
  },
}
