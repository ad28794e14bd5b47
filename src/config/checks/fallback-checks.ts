import { CHANNEL_NAMES, destinationName } from '../../domain/delivery/delivery.ts'
import { isObject } from '../../text/json-object.ts'
import { empty, type Issue, type Lookup, list } from '../config-error.ts'
import { known, otherNames } from './known-names.ts'

interface Place {
  readonly channel: string
  /** Empty: the default destination. */
  readonly target: string
}

/** Yields the errors of `on_failure` that only several keys together show. */
export function* fallbackIssues(get: Lookup): Generator<Issue> {
  for (const name of CHANNEL_NAMES) {
    const to = get(`alert.${name}.enable`) === true ? fallbackOf(name, get) : undefined
    if (to === undefined) continue
    const path = ['alert', name, 'on_failure']
    if (get(`alert.${to.channel}.enable`) !== true)
      yield { path, message: `is ${to.channel}, which is not enabled: enable it, or name another channel` }
    else if (to.target !== '') yield* known(path, to.target, otherNames(`alert.${to.channel}`, get))
    const chain = chainFrom({ channel: name, target: '' }, get)
    if (chain !== undefined)
      yield { path, message: `leads in a circle, ${chain.map(destinationName).join(' to ')}: leave out one of them` }
  }
}

/** Warns about a fallback that gets every incident anyway. */
export function* fallbackWarnings(get: Lookup): Generator<Issue> {
  if (list(get('routes')).length > 0) return
  for (const name of CHANNEL_NAMES) {
    const to = get(`alert.${name}.enable`) === true ? fallbackOf(name, get) : undefined
    if (to !== undefined && to.target === '')
      yield {
        path: ['alert', name, 'on_failure'],
        message: `has no effect: without routes ${to.channel} gets every incident anyway; name another destination of it, or write routes`,
      }
  }
}

/** Returns the chain of fallbacks, if it comes to a destination twice. One that is its own fallback ends it. */
function chainFrom(start: Place, get: Lookup): readonly Place[] | undefined {
  const chain = [start]
  for (;;) {
    const at = chain.at(-1) as Place
    const next = fallbackOf(at.channel, get)
    if (next === undefined) return undefined
    const isKnown = chain.some((place) => isSame(place, next))
    if (isSame(at, next) && !isSame(at, start)) return undefined
    chain.push(next)
    if (isKnown) return chain
  }
}

/** Returns undefined for one that is missing or is no destination. */
function fallbackOf(channel: string, get: Lookup): Place | undefined {
  const given = get(`alert.${channel}.on_failure`)
  if (empty(given)) return undefined
  if (typeof given === 'string') return { channel: given, target: '' }
  const [entry] = isObject(given) ? Object.entries(given) : []
  return entry && { channel: entry[0], target: String(entry[1]) }
}

const isSame = (one: Place, other: Place) => one.channel === other.channel && one.target === other.target
