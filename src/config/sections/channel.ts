import { z } from 'zod'
import type { ChannelKind, Fallback } from '../../channels/channel.ts'
import { flag, fraction, requiredDuration, secret, text, whole } from '../../settings/fields.ts'
import { destination, destinationOf } from './routes.ts'

/** `alert.<name>`: the keys that all channels have, and those of the kind. `enable` of the console may be `auto`. */
export function channel(kind: ChannelKind<unknown>) {
  return z.intersection(
    common(kind).transform((raw) => ({
      name: kind.name,
      enable: raw.enable,
      templatePath: raw.template_path,
      agentTemplatePath: raw.agent_template_path,
      concurrency: raw.concurrency,
      rate: { perSecond: raw.rate.per_second, burst: raw.rate.burst },
      mailbox: raw.mailbox,
      /** Parts that the file leaves out have defaults that depend on other keys: `storm.ts` fills them in. */
      storm: {
        enable: raw.storm.enable,
        withinMs: raw.storm.within,
        perSecond: raw.storm.rate.per_second,
        burst: raw.storm.rate.burst,
      },
      network: { proxy: withLogin(raw.proxy), insecureSkipVerify: raw.insecure_skip_verify },
      ...(raw.on_failure !== undefined && { onFailure: raw.on_failure }),
    })),
    kind.options.transform((options) => ({ options })),
  )
}

/** `on_failure`: empty means none. */
const onFailure = destination
  .transform((given, ctx): Fallback | undefined => {
    if (given === '') return undefined
    return destinationOf(given, (message) => {
      ctx.addIssue({ code: 'custom', message })
      return z.NEVER
    })
  })
  .prefault('')

const automatic = z.union([z.boolean(), z.literal('auto')], { error: 'must be true, false or auto' }).default('auto')

function common({ name, defaults }: ChannelKind<unknown>) {
  return z.object({
    enable: name === 'console' ? automatic : flag(false),
    template_path: text(`templates/${name}.tmpl`),
    agent_template_path: text(),
    concurrency: whole(defaults.concurrency, [1, 1_024]),
    rate: z.object({
      per_second: fraction(defaults.rate.perSecond, [0.0001, 1_000_000]),
      burst: whole(defaults.rate.burst, [1, 1_000_000]),
    }),
    mailbox: whole(1_024, [1, 1_000_000]),
    proxy: z.object({ url: proxyUrl(), username: text(), password: secret() }),
    insecure_skip_verify: flag(false),
    on_failure: onFailure,
    storm: z.object({
      enable: z.boolean({ error: 'must be true or false' }).optional(),
      within: requiredDuration(10_000).optional(),
      rate: z.object({
        per_second: fraction(0, [0.0001, 1_000_000]).unwrap().optional(),
        burst: whole(0, [1, 1_000_000]).unwrap().optional(),
      }),
    }),
  })
}

const PROXY = /^(?:https?|socks5h?):\/\/[^/?#]+\/?$/i
const PROXY_PORTS: { readonly [protocol: string]: string } = { 'http:': '80', 'https:': '443', 'socks5:': '1080' }

const proxyUrl = () =>
  z
    .string({ error: 'must be text' })
    .trim()
    .refine((url) => url === '' || (PROXY.test(url) && URL.canParse(url) && new URL(url).port !== '0'), {
      error: 'must be an address without a path that begins with http://, https:// or socks5://',
    })
    .prefault('')

/** Returns the address with port, user name and password in it. SOCKS names are resolved by the proxy in any case. */
function withLogin({ url, username, password }: { url: string; username: string; password: string }): string {
  if (url === '') return ''
  const proxy = new URL(url.replace(/^socks5h:/i, 'socks5:'))
  if (username !== '') proxy.username = encodeURIComponent(username)
  if (password !== '') proxy.password = encodeURIComponent(password)
  const login = proxy.username === '' ? '' : `${proxy.username}:${proxy.password}@`
  return `${proxy.protocol}//${login}${proxy.hostname}:${proxy.port || PROXY_PORTS[proxy.protocol]}`
}
