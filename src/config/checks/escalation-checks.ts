import { CHANNELS } from '../../channels/index.ts'
import { CHANNEL_NAMES } from '../../domain/delivery/delivery.ts'
import type { Escalation, OncallRules, Target, Way } from '../../policy/oncall/escalation.ts'
import { NOBODY, type OncallSchedule } from '../../policy/oncall/settings.ts'
import type { RouteSettings } from '../../policy/route.ts'
import { empty, type Issue, type Lookup, list, type Path, valueAt } from '../config-error.ts'
import { partsOf } from '../sections/escalations.ts'
import { known, namesOf, otherNames } from './known-names.ts'
import { peopleOf } from './oncall-checks.ts'

/** A target of a step, with its place. */
interface Notified {
  readonly path: Path
  readonly kind: Target['kind']
  readonly name: string
  readonly target: string | undefined
}

function* notifiedBy(escalation: string, get: Lookup): Generator<Notified> {
  const path = ['oncall', 'escalations', escalation, 'steps']
  for (const [at, step] of list(get(path.join('.'))).entries())
    for (const [nth, written] of list(valueAt(step, ['notify'])).entries()) {
      const [kind, name, target] = (typeof written === 'string' && partsOf(written)) || []
      if (kind !== undefined && name !== undefined) yield { path: [...path, at, 'notify', nth], kind, name, target }
    }
}

/** Yields the errors of escalations, and of how they reach people, that only the rest of the configuration shows. */
export function* escalationIssues(get: Lookup): Generator<Issue> {
  const names = namesOf(get, 'oncall.escalations')
  const path = ['oncall', 'escalation']
  if (!empty(get('oncall.escalation'))) yield* known(path, get('oncall.escalation'), names, 'an escalation')
  for (const [at, route] of list(get('routes')).entries()) {
    const given = valueAt(route, ['oncall', 'escalation'])
    if (!empty(given)) yield* known(['routes', at, 'oncall', 'escalation'], given, names, 'an escalation')
  }
  if (names.length === 0) return
  const notified = names.flatMap((name) => [...notifiedBy(name, get)])
  for (const each of notified) yield* unknownTarget(each, get)
  for (const name of names)
    if ([...notifiedBy(name, get)].every(({ kind }) => kind === 'channel'))
      yield { path: ['oncall', 'escalations', name], message: 'has no step that asks a person or the provider' }
  yield* ways(get)
  yield* sameName(get)
  yield* withoutWay(notified, get)
  for (const name of namesOf(get, 'oncall.gateways'))
    for (const key of ['url', 'secret'])
      if (empty(get(`oncall.gateways.${name}.${key}`)))
        yield { path: ['oncall', 'gateways', name, key], message: 'is missing: the gateway needs it' }
}

function* unknownTarget({ path, kind, name, target }: Notified, get: Lookup): Generator<Issue> {
  switch (kind) {
    case 'schedule':
      if (namesOf(get, 'oncall.schedules').includes(name)) return
      if (namesOf(get, 'schedules').includes(name))
        yield { path, message: `"${name}" is a schedule of rules: name one of oncall.schedules, which have people` }
      else yield* known(path, name, namesOf(get, 'oncall.schedules'), 'a schedule of oncall')
      return
    case 'person':
      return yield* known(path, name, namesOf(get, 'people'), 'a person')
    case 'channel':
      if (get(`alert.${name}.enable`) === false)
        yield { path, message: `${name} is not enabled: enable it, or name another channel` }
      else if (target !== undefined) yield* known(path, target, otherNames(`alert.${name}`, get))
      return
    case 'provider':
      if (name !== get('oncall.provider'))
        yield { path, message: `"${name}" is not the chosen provider; oncall.provider is ${get('oncall.provider')}` }
      else if (target !== undefined) yield* known(path, target, otherNames(`oncall.${name}`, get))
      return
    default:
      kind satisfies never
  }
}

/** Yields an issue for a name that two people have: a run knows who acknowledged by name. */
function* sameName(get: Lookup): Generator<Issue> {
  const people = namesOf(get, 'people')
  const owners = new Map(people.map((key) => [key, key]))
  for (const key of people) {
    const given = get(`people.${key}.name`)
    const name = empty(given) ? key : String(given).trim()
    const other = owners.get(name)
    if (other !== undefined && other !== key)
      yield {
        path: ['people', key, 'name'],
        message: `is also the name of ${other}: runs would take them for one person`,
      }
    owners.set(name, key)
  }
}

function* ways(get: Lookup): Generator<Issue> {
  for (const person of namesOf(get, 'people'))
    for (const [at, way] of list(get(`people.${person}.ways`)).entries()) {
      const path = ['people', person, 'ways', at]
      const [gateway, provider] = [valueAt(way, ['gateway']), valueAt(way, ['provider'])]
      if (!empty(gateway)) yield* known([...path, 'gateway'], gateway, namesOf(get, 'oncall.gateways'), 'a gateway')
      if (!empty(provider) && provider !== get('oncall.provider'))
        yield {
          path: [...path, 'provider'],
          message: `is not the chosen provider; oncall.provider is ${get('oncall.provider')}`,
        }
      for (const channel of CHANNEL_NAMES)
        if (CHANNELS[channel].person && !empty(valueAt(way, [channel])) && get(`alert.${channel}.enable`) !== true)
          yield { path: [...path, channel], message: `${channel} is not enabled: enable it, or choose another way` }
    }
}

/** Yields an issue for each person whom a step can ask, and who has no way. */
function* withoutWay(notified: readonly Notified[], get: Lookup): Generator<Issue> {
  const people = namesOf(get, 'people')
  const asked = notified.flatMap(({ kind, name, path }): (readonly [Path, unknown])[] => {
    if (kind === 'person') return [[path, name]]
    return kind === 'schedule' ? [...peopleOf(name, get)].filter(([at]) => at.at(-1) !== 'instead_of') : []
  })
  const seen = new Set<unknown>([NOBODY])
  for (const [path, person] of asked) {
    if (seen.has(person) || !people.includes(String(person))) continue
    seen.add(person)
    if (list(get(`people.${person}.ways`)).length === 0)
      yield { path, message: `${person} cannot be reached: give people.${person} a way` }
  }
}

/** Returns the first step or way by which the provider pages, as a reason; undefined: none does. */
export function providerNeededBy(get: Lookup): string | undefined {
  const escalations = namesOf(get, 'oncall.escalations')
  const step = escalations.find((name) => [...notifiedBy(name, get)].some(({ kind }) => kind === 'provider'))
  if (step !== undefined) return `the escalation ${step} names the provider`
  const person = namesOf(get, 'people').find((name) =>
    list(get(`people.${name}.ways`)).some((way) => !empty(valueAt(way, ['provider']))),
  )
  return person === undefined || escalations.length === 0 ? undefined : `${person} has it as a way`
}

/** Returns whether every page is by an escalation: the provider alone pages for none. */
export const alwaysEscalates = (get: Lookup): boolean => !empty(get('oncall.escalation'))

interface Warned {
  readonly oncallRules?: OncallRules
  readonly oncall: { readonly enable: boolean }
  readonly routes: readonly RouteSettings[]
}

/** Yields warnings about escalations that work and are probably not meant. */
export function* escalationWarnings({ oncallRules: rules, oncall, routes }: Warned): Generator<Issue> {
  if (rules === undefined) return
  for (const [at, { oncall: own }] of routes.entries())
    if (own?.escalation !== undefined && !(own.enable ?? oncall.enable))
      yield {
        path: ['routes', at, 'oncall', 'escalation'],
        message: 'pages only for requests that ask for it, because on-call is off: add enable: true',
      }
  for (const escalation of rules.escalations.values()) yield* earlyProviders(escalation)
  yield* lateWays(rules)
  yield* unused(rules)
}

function* earlyProviders({ name, steps }: Escalation): Generator<Issue> {
  for (const [at, { notify }] of steps.slice(0, -1).entries())
    for (const [nth, { kind }] of notify.entries())
      if (kind === 'provider')
        yield {
          path: ['oncall', 'escalations', name, 'steps', at, 'notify', nth],
          message:
            'is before the last step: an acknowledgement at the provider does not come back, so the later steps run all the same',
        }
}

/** Returns all people whom the target can name. */
function named(target: Target, schedules: ReadonlyMap<string, OncallSchedule>): readonly string[] {
  if (target.kind === 'person') return [target.name]
  const schedule = target.kind === 'schedule' ? schedules.get(target.name) : undefined
  const members = schedule?.layers.flatMap(({ editions }) => editions.flatMap((edition) => edition.members)) ?? []
  const all = [...members, ...(schedule?.overrides.map(({ person }) => person) ?? [])]
  return [...new Set(all)].filter((person) => person !== NOBODY)
}

function* lateWays({ escalations, schedules, people }: OncallRules): Generator<Issue> {
  const seen = new Set<Way>()
  for (const { name, steps, repeat, repeatAfterMs } of escalations.values())
    for (const [at, { notify }] of steps.entries()) {
      const nextMs = steps[at + 1]?.afterMs ?? (repeat > 0 ? repeatAfterMs : Infinity)
      for (const person of notify.flatMap((target) => named(target, schedules)))
        for (const [nth, way] of people.get(person)?.ways.entries() ?? []) {
          if (way.afterMs < nextMs || seen.has(way)) continue
          seen.add(way)
          yield {
            path: ['people', person, 'ways', nth, 'after'],
            message: `is not before what follows step ${at + 1} of ${name}, so others are asked first`,
          }
        }
    }
}

function* unused({ escalations, schedules, people }: OncallRules): Generator<Issue> {
  const targets = [...escalations.values()].flatMap(({ steps }) => steps.flatMap(({ notify }) => notify))
  const asked = new Set(targets.flatMap((target) => named(target, schedules)))
  for (const [key, { ways }] of people)
    if (ways.length > 0 && !asked.has(key)) yield { path: ['people', key, 'ways'], message: 'no escalation uses them' }
  const used = new Set(targets.map((target) => (target.kind === 'schedule' ? target.name : undefined)))
  for (const name of schedules.keys())
    if (!used.has(name)) yield { path: ['oncall', 'schedules', name], message: 'no escalation uses it' }
}
