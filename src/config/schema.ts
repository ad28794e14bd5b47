import { z } from 'zod'
import { answers } from '../answers/options.ts'
import { CHANNELS } from '../channels/index.ts'
import { CHANNEL_NAMES, type ChannelName } from '../domain/delivery/delivery.ts'
import { modelOptions, models } from '../models/options.ts'
import { gateways, oncall } from '../oncall/options.ts'
import { flag, httpUrl, secret, text, whole } from '../settings/fields.ts'
import { walkSchema } from './schema-walk.ts'
import { agent } from './sections/agent.ts'
import { channel } from './sections/channel.ts'
import { escalationKeys } from './sections/escalations.ts'
import { heartbeats } from './sections/heartbeats.ts'
import { intake } from './sections/intake.ts'
import { mcp } from './sections/mcp.ts'
import { oncallSchedules } from './sections/oncall-schedules.ts'
import { people } from './sections/people.ts'
import { routes, schedules } from './sections/routes.ts'
import { brief, delivery, http, log, metrics, noise, slo, templates } from './sections/server.ts'
import { silences } from './sections/silences.ts'
import { replica, storage } from './sections/storage.ts'
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
      channels: perChannel((name) => ({ ...channels[name], enable: on(channels[name].enable) })),
    }
  })

/** The whole configuration: its input is the file, its output the typed settings. */
export const SCHEMA = z
  .object({
    name: text('tocsin'),
    host: text('0.0.0.0'),
    port: whole(3_000, [0, 65_535]),
    public_host: httpUrl(),
    gateway_secret: secret(),
    http,
    intake,
    alert,
    delivery,
    templates,
    topicsvc,
    oncall: z.intersection(oncall, z.object({ schedules: oncallSchedules, gateways, ...escalationKeys })),
    routes,
    schedules,
    heartbeats,
    slo,
    silences,
    people,
    answers,
    noise,
    storage,
    replica,
    models,
    mcp,
    brief,
    agent,
    metrics,
    log,
  })
  .transform(({ public_host, gateway_secret, oncall, models, agent, ...rest }) => {
    const {
      publicHost,
      schedules: oncallSchedules,
      escalation,
      escalations,
      gateways,
      overrides,
      feeds,
      ...paging
    } = oncall
    return {
      ...rest,
      agent: { ...agent, ai: { ...agent.ai, ...modelOptions(agent.ai.provider, models, agent.ai) } },
      oncall: paging,
      oncallSchedules,
      escalations: { escalation, escalations, gateways },
      /** Overrides that people make; calendars of shifts. */
      oncallOverrides: overrides,
      oncallFeeds: feeds,
      /** Base address at which people open the service, without a slash at its end; empty: messages have no links. */
      publicHost: public_host || publicHost,
      /** Empty: no dashboard, no admin routes. */
      gatewaySecret: gateway_secret,
    }
  })

/** The nodes of the schema. */
export const SCHEMA_NODE = walkSchema(SCHEMA)

/** A file after validation, before `completed` fills in the rest. */
export type Sections = z.output<typeof SCHEMA>
