import { z } from 'zod'
import { CHANNELS } from '../channels/index.ts'
import { CHANNEL_NAMES, type ChannelName } from '../domain/delivery.ts'
import { flag, httpUrl, secret, text, whole } from './fields.ts'
import { agent } from './sections/agent.ts'
import { type ChannelConfig, channel } from './sections/channel.ts'
import { oncall } from './sections/oncall.ts'
import { delivery, http, log, metrics, storage, templates } from './sections/server.ts'
import { topicsvc } from './sections/topicsvc.ts'

type Channels<T> = { readonly [K in ChannelName]: T }
function perChannel<T>(make: (name: ChannelName) => T): Channels<T> {
  return Object.fromEntries(CHANNEL_NAMES.map((name) => [name, make(name)])) as Channels<T>
}

const alert = z
  .object({ debug_body: flag(false), ...perChannel((name) => channel(CHANNELS[name])) })
  .transform(({ debug_body, ...channels }) => {
    const others = CHANNEL_NAMES.some((name) => channels[name].enable === true)
    const on = (enable: boolean | 'auto') => (enable === 'auto' ? !others : enable)
    return {
      debugBody: debug_body,
      channels: perChannel((name): ChannelConfig => ({ ...channels[name], enable: on(channels[name].enable) })),
    }
  })

/** The whole configuration: what the file may hold (input) and what the program is given (output). */
export const SCHEMA = z
  .object({
    name: text('tocsin'),
    host: text('0.0.0.0'),
    port: whole(3_000, [0, 65_535]),
    public_host: httpUrl(),
    gateway_secret: secret(),
    http,
    alert,
    delivery,
    templates,
    topicsvc,
    oncall,
    storage,
    agent,
    metrics,
    log,
  })
  .transform(({ public_host, gateway_secret, oncall, ...rest }) => {
    const { publicHost, ...paging } = oncall
    return {
      ...rest,
      oncall: paging,
      /** Base address people reach the service at, without a trailing slash; empty when nobody said. */
      publicHost: public_host || publicHost,
      /** Empty: no dashboard, no admin routes. */
      gatewaySecret: gateway_secret,
    }
  })

/** Keys as in the file, defaults filled in, secrets in clear; only `redacted` and `secretValues` read it. */
type Effective = { readonly [key: string]: unknown }

type Sections = z.output<typeof SCHEMA>

/** The typed configuration. Plain data (and Maps), so it can be handed to any thread; features get their section's values, never the whole. */
export interface Config extends Sections {
  readonly effective: Effective
}
