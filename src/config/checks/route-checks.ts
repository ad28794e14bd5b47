import type { SilenceSettings } from '../../policy/silences/settings.ts'
import { neverReached } from '../../policy/subsumption.ts'
import { isObject } from '../../text/json-object.ts'
import type { Config } from '../complete.ts'
import { empty, type Issue, type LocatedIssue, type Lookup, list, type Path, valueAt } from '../config-error.ts'
import { known, namesOf, otherNames, repeated } from './known-names.ts'

/** Yields the errors of rules, heartbeats and silences that only the rest of the configuration shows. */
export function* routeIssues(get: Lookup): Generator<Issue> {
  for (const section of ['routes', 'heartbeats', 'silences']) yield* repeated([section], list(get(section)))
  for (const key of ['slug', 'uuid']) yield* repeated(['heartbeats'], list(get('heartbeats')), key)
  yield* issuesOfEach('heartbeats', get, (heartbeat) => [...conditionIssues(heartbeat)])
  yield* issuesOfEach('silences', get, (silence) => [
    ...emptyConditions(silence, ['match']),
    ...emptyConditions(silence, ['while', 'match']),
  ])
  yield* issuesOfEach('routes', get, (route) => [...issuesOf(route, get)])
}

function* issuesOfEach(section: string, get: Lookup, check: (entry: unknown) => Issue[]): Generator<Issue> {
  for (const [at, entry] of list(get(section)).entries())
    for (const { path, message } of check(entry)) yield { path: [section, at, ...path], message }
}

function* conditionIssues(heartbeat: unknown): Generator<Issue> {
  yield* emptyConditions(heartbeat, ['match'])
  const match = valueAt(heartbeat, ['match'])
  if (Object.keys(isObject(match) ? match : {}).length > 0) return
  if (['slug', 'uuid'].every((key) => empty(valueAt(heartbeat, [key]))))
    yield {
      path: ['match'],
      message:
        'needs a condition, or the heartbeat a slug or a uuid; source: [webhook, topic, agent] fits every incident',
    }
}

function* emptyConditions(entry: unknown, at: Path): Generator<Issue> {
  const match = valueAt(entry, at)
  for (const [field, value] of Object.entries(isObject(match) ? match : {}))
    if (value === undefined || value === null)
      yield { path: [...at, field], message: 'is empty: write "" for incidents without it, or delete the key' }
}

function* issuesOf(route: unknown, get: Lookup): Generator<Issue> {
  yield* emptyConditions(route, ['match'])
  for (const key of ['during', 'outside']) yield* schedule(key, valueAt(route, [key]), get)
  for (const [at, each] of list(valueAt(route, ['to'])).entries())
    for (const [channel, target] of isObject(each) ? Object.entries(each) : [])
      yield* known(['to', at], target, otherNames(`alert.${channel}`, get))
  const key = valueAt(route, ['oncall', 'routing_key'])
  if (!empty(key)) yield* known(['oncall', 'routing_key'], key, otherNames(`oncall.${get('oncall.provider')}`, get))
}

function* schedule(key: string, name: unknown, get: Lookup): Generator<Issue> {
  if (!empty(name)) yield* known([key], name, namesOf(get, 'schedules'), 'a schedule')
}

type Routed = Pick<Config, 'routes' | 'alert'>

/** Yields warnings about rules that work and are probably not meant. */
export function* routeWarnings({ routes, alert }: Routed): Generator<LocatedIssue> {
  for (const { rule, by } of neverReached(routes)) {
    const path = ['routes', routes.indexOf(rule)]
    const names = by.map(({ name, where }) => `${name} (${where})`).join(' and ')
    const message = `${rule.name} is never reached: ${names} ${by.length === 1 ? 'takes' : 'take'} every incident that it fits; put it first`
    yield { where: rule.where, path, message }
  }
  for (const [at, { where, to = [] }] of routes.entries())
    for (const [nth, { channel }] of to.entries())
      if (!alert.channels[channel].enable)
        yield { where, path: ['routes', at, 'to', nth], message: `${channel} is not enabled, so nothing is sent to it` }
  const last = routes.at(-1)
  if (last?.continue)
    yield {
      where: last.where,
      path: ['routes', routes.length - 1, 'continue'],
      message: 'has no effect: no rule follows',
    }
}

/** Yields warnings about silences that work and are probably not meant. `now`: epoch milliseconds. */
export function* silenceWarnings(silences: readonly SilenceSettings[], now: number): Generator<LocatedIssue> {
  for (const [at, { where, name, endsAt }] of silences.entries())
    if (endsAt <= now) yield { where, path: ['silences', at], message: `${name} is over and has no effect: delete it` }
}
