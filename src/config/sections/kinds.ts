import { z } from 'zod'
import type { ChannelKind } from '../../channels/channel.ts'
import type { ChannelName } from '../../domain/delivery.ts'
import { httpUrl, named, oneOf, secret, text, whole } from '../scalars.ts'

function kind(name: ChannelName, options: z.ZodType): ChannelKind<unknown> {
  return {
    name,
    options,
    text: { escaping: 'none', limit: { max: 1000, unit: 'utf16' } },
    defaults: { concurrency: 1, rate: { perSecond: 1, burst: 1 } },
    create: () => {
      throw new Error(name)
    },
  }
}

export const CHANNELS: { readonly [K in ChannelName]: ChannelKind<unknown> } = {
  chatws: kind(
    'chatws',
    z.object({
      token: secret(),
      channel_id: text(),
      api_url: httpUrl('https://slack.com'),
      other_channel_ids: named(text()),
      button_text: text('Acknowledge'),
    }),
  ),
  msgapp: kind(
    'msgapp',
    z.object({
      token: secret(),
      channel_id: text(),
      api_url: httpUrl('https://api.telegram.org'),
      other_channel_ids: named(text()),
    }),
  ),
  messenger: kind(
    'messenger',
    z.object({
      token: secret(),
      channel_id: text(),
      mode: oneOf(['channel', 'bot']),
      api_url: httpUrl('https://chatapi.viber.com'),
      other_channel_ids: named(text()),
    }),
  ),
  officechat: kind(
    'officechat',
    z.object({
      flow_url: secret(),
      other_flow_urls: named(secret()),
      format: oneOf(['auto', 'message', 'text', 'adaptive_card']),
    }),
  ),
  workchat: kind(
    'workchat',
    z.object({
      token: secret(),
      channel_id: text(),
      webhook_url: secret(),
      secret: secret(),
      api_url: httpUrl('https://open.larksuite.com'),
    }),
  ),
  email: kind(
    'email',
    z.object({
      smtp_host: text(),
      smtp_port: whole(587, [1, 65535]),
      username: text(),
      password: secret(),
      from: text(),
      to: text(),
      subject: text(),
      tls: oneOf(['opportunistic', 'require', 'none']),
    }),
  ),
  console: kind('console', z.object({})),
}
