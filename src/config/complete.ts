import { type People, personOf } from '../answers/options.ts'
import type { ChannelSettings, Rate, StormSettings } from '../channels/channel.ts'
import { CHANNELS } from '../channels/index.ts'
import { CHANNEL_NAMES, type ChannelName } from '../domain/delivery/delivery.ts'
import type { HeartbeatSettings } from '../policy/heartbeat.ts'
import type { OncallSchedule, OncallSchedules } from '../policy/oncall/settings.ts'
import type { RouteSettings } from '../policy/route.ts'
import type { SilenceSettings } from '../policy/silences/settings.ts'
import { dotted, type Path } from './config-error.ts'
import { templateAt } from './files/places.ts'
import type { Layers, Origin } from './merge.ts'
import { locationOf } from './messages.ts'
import type { Sections } from './schema.ts'
import { rulesOf } from './sections/oncall-rules.ts'

/** All keys as in the file, with defaults, secrets in clear. Only `redacted` and `secretValues` read it. */
type Effective = { readonly [key: string]: unknown }

/**
 * The typed configuration. It is plain data and Maps, so it can be posted to any thread. Features get the values of
 * their section, never the whole.
 */
export interface Config extends ReturnType<typeof completed> {
  readonly effective: Effective
}

/** The keys of `alert.<channel>.storm` that the file sets. */
interface StormKeys {
  readonly enable: boolean | undefined
  readonly withinMs: number | undefined
  readonly perSecond: number | undefined
  readonly burst: number | undefined
}

/** Fills in what a key alone does not say: lines of the file, and defaults that follow from other keys. */
export function completed(
  { alert, routes, heartbeats, silences, oncallSchedules, people, escalations, ...rest }: Sections,
  layers: Layers,
) {
  const where = (...path: Path) => locationOf(path, layers)
  const namedIn = (...path: Path) => (layers.origins.get(dotted(path)) === 'file' ? where(...path) : undefined)
  const channels = CHANNEL_NAMES.map((name): [ChannelName, ChannelSettings] => {
    const channel = alert.channels[name]
    const templatePath = templateAt(channel.templatePath, namedIn('alert', name, 'template_path'))
    const agentTemplatePath = templateAt(channel.agentTemplatePath, namedIn('alert', name, 'agent_template_path'))
    return [
      name,
      { ...channel, templatePath, agentTemplatePath, storm: stormOf(channel, rest.noise.storm, layers.origins) },
    ]
  })
  const schedules = located(oncallSchedules, where)
  return {
    ...rest,
    people: new Map(Array.from(people, ([key, each]) => [key, personOf(key, each)])) as People,
    ...rulesOf({ enable: rest.oncall.enable, people, schedules, ...escalations }),
    /** Places in the file, by the name of the escalation. */
    escalationPlaces: new Map(
      Array.from(escalations.escalations.keys(), (name) => [name, where('oncall', 'escalations', name)]),
    ) as ReadonlyMap<string, string>,
    /** Programs of the operator that call people, by name. */
    oncallGateways: escalations.gateways,
    alert: { ...alert, channels: Object.fromEntries(channels) as { [name in ChannelName]: ChannelSettings } },
    silences: silences.map(
      (silence, at): SilenceSettings => ({
        ...silence,
        where: where('silences', at),
        conditions: silence.conditions.map((each) => ({ ...each, where: where('silences', at, 'match', each.field) })),
        ...(silence.while && {
          while: silence.while.map((each) => ({ ...each, where: where('silences', at, 'while', 'match', each.field) })),
        }),
      }),
    ),
    routes: routes.map(
      (route, at): RouteSettings => ({
        ...route,
        where: where('routes', at),
        templates: new Map(
          Array.from(route.templates ?? [], ([name, path]) => {
            const place = where('routes', at, 'templates', name)
            return [name, templateAt(path, isVariable(place) ? undefined : place)] as const
          }),
        ),
        conditions: route.conditions.map((each) => ({ ...each, where: where('routes', at, 'match', each.field) })),
      }),
    ),
    heartbeats: heartbeats.map(
      (heartbeat, at): HeartbeatSettings => ({ ...heartbeat, where: where('heartbeats', at) }),
    ),
    oncallSchedules: schedules,
  }
}

/** Returns the schedules of on-call with places in the file. */
const located = (schedules: OncallSchedules, where: (...path: Path) => string): OncallSchedules =>
  new Map(
    Array.from(schedules, ([name, schedule]): [string, OncallSchedule] => {
      const inside = (...path: Path) => where('oncall', 'schedules', name, ...path)
      const layers = schedule.layers.map((each, at) => ({ ...each, where: inside('layers', at) }))
      const overrides = schedule.overrides.map((each, at) => ({ ...each, where: inside('overrides', at) }))
      return [name, { ...schedule, where: inside(), layers, overrides }]
    }),
  )

const isVariable = (where: string) => where.startsWith('environment variable ')

/** Above this many messages a second a program reads at the destination, and no digest is made. */
const FASTEST_READER = 20

/** A rate that the file sets counts for readers as well; the default of the kind is what its provider takes. */
function stormOf(
  { name, rate, storm }: { readonly name: ChannelName; readonly rate: Rate; readonly storm: StormKeys },
  noise: { readonly enable: boolean; readonly withinMs: number },
  origins: ReadonlyMap<string, Origin>,
): StormSettings {
  const { defaults } = CHANNELS[name]
  const isGiven = (key: string) => (origins.get(`alert.${name}.rate.${key}`) ?? 'default') !== 'default'
  const base = isGiven('per_second') || isGiven('burst') ? rate : (defaults.storm?.rate ?? rate)
  const reading = { perSecond: storm.perSecond ?? base.perSecond, burst: storm.burst ?? base.burst }
  const enable = (storm.enable ?? noise.enable) && name !== 'console' && reading.perSecond <= FASTEST_READER
  return { enable, withinMs: storm.withinMs ?? defaults.storm?.withinMs ?? noise.withinMs, rate: reading }
}
