import type { SentMatcher } from '../policy/silences/settings.ts'
import { BadRequest, type Texts } from './body.ts'
import { anchored, compileMatchers, type FitLabels, parseMatcher } from './matchers.ts'

/** Wishes of a reader. */
export interface AlertQuery {
  readonly fits: FitLabels
  /** Returns whether any of the receivers is wanted. */
  hasReceiver(names: readonly string[]): boolean
  /** Returns whether alerts in this state are wanted. */
  hasState(status: AlertStatus): boolean
  /** Groups of which every alert is suppressed. */
  readonly muted: boolean
}

export interface AlertStatus {
  readonly state: 'active' | 'suppressed' | 'unprocessed'
  readonly silencedBy: readonly string[]
  readonly inhibitedBy: readonly string[]
}

/** A receiver and its destinations. */
export interface Receiver {
  readonly name: string
  readonly labels: Texts
}

/** Reads the parameters of a list of alerts. Throws BadRequest. */
export function readAlertQuery(search: URLSearchParams, receivers: readonly Receiver[]): AlertQuery {
  const fits = filterOf(search, 'filter')
  const [silenced, inhibited, active] = flagsOf(search, ['silenced', 'inhibited', 'active'])
  const [unprocessed, muted] = flagsOf(search, ['unprocessed', 'muted'])
  const wanted = wantedReceivers(search, receivers)
  return {
    fits,
    hasReceiver: (names) => wanted === undefined || names.some((name) => wanted.has(name)),
    hasState: ({ state, silencedBy, inhibitedBy }) =>
      (active || state !== 'active') &&
      (unprocessed || state !== 'unprocessed') &&
      (silenced || silencedBy.length === 0) &&
      (inhibited || inhibitedBy.length === 0),
    muted: muted === true,
  }
}

/** Returns the names of the receivers that are asked for; undefined: all. */
function wantedReceivers(search: URLSearchParams, receivers: readonly Receiver[]): ReadonlySet<string> | undefined {
  const expression = search.get('receiver') ?? ''
  const matchers = matchersIn(search, 'receiver_matchers')
  if (expression === '' && matchers.length === 0) return undefined
  const fitsName = refusing('failed to parse receiver param: ', () => anchored(expression === '' ? '.*' : expression))
  const fitsLabels = compileMatchers(matchers)
  return new Set(receivers.filter(({ name, labels }) => fitsName(name) && fitsLabels(labels)).map(({ name }) => name))
}

/** Returns the receivers that `receiver_matchers` asks for. Throws BadRequest. */
export function wantedOf(search: URLSearchParams, receivers: readonly Receiver[]): readonly Receiver[] {
  const fits = filterOf(search, 'receiver_matchers')
  return receivers.filter(({ labels }) => fits(labels))
}

const filterOf = (search: URLSearchParams, key: string): FitLabels => compileMatchers(matchersIn(search, key))

/** Returns the matchers of a parameter that may be repeated; an empty one is absent. Throws BadRequest. */
export function matchersIn(search: URLSearchParams, key: string): readonly SentMatcher[] {
  const prefix = key === 'filter' ? '' : `failed to parse ${key} param: `
  const given = search.getAll(key).filter((text) => text !== '')
  return given.map((text) => refusing(prefix, () => parseMatcher(text)))
}

function refusing<T>(prefix: string, parse: () => T): T {
  try {
    return parse()
  } catch (error) {
    throw new BadRequest(prefix + (error instanceof Error ? error.message : String(error)))
  }
}

const TRUE = new Set(['true', '1', 'yes', 'ok', 'y', 'on', 'selected', 'checked', 't', 'enabled'])

/** Returns flags that are true unless something else is given; an empty one is absent. */
export const flagsOf = (search: URLSearchParams, keys: readonly string[]): boolean[] =>
  keys.map((key) => TRUE.has((search.get(key) || 'true').toLowerCase()))

/** One alert, as it is read. Times in epoch milliseconds. */
interface ShownAlert {
  readonly fingerprint: string
  readonly labels: Texts
  readonly annotations: Texts
  readonly startsAt: number
  readonly endsAt: number
  readonly updatedAt: number
  readonly generatorURL: string
}

/** Returns the JSON of an alert. */
export function alertJson(alert: ShownAlert, status: AlertStatus, receivers: readonly string[]): string {
  const { labels, annotations, generatorURL, fingerprint } = alert
  const time = (ms: number) => new Date(ms).toISOString()
  return JSON.stringify({
    annotations,
    endsAt: time(alert.endsAt),
    fingerprint,
    receivers: receivers.map((name) => ({ name })),
    startsAt: time(alert.startsAt),
    status: { inhibitedBy: status.inhibitedBy, mutedBy: [], silencedBy: status.silencedBy, state: status.state },
    updatedAt: time(alert.updatedAt),
    ...(generatorURL !== '' && { generatorURL }),
    labels,
  })
}

/** Returns the JSON of a group in front of its alerts, which end with `]}`. */
export const groupJson = (receiver: string, labels: Texts): string =>
  `{"labels":${JSON.stringify(labels)},"receiver":{"name":${JSON.stringify(receiver)}},"routeLabels":{},"alerts":[`

/** Orders label sets as groups are listed: small ones first, then by names and values. */
export function compareLabels(a: Texts, b: Texts): number {
  const size = Object.keys(a).length - Object.keys(b).length
  if (size !== 0) return size
  for (const name of [...new Set([...Object.keys(a), ...Object.keys(b)])].sort()) {
    const [value, other] = [a[name], b[name]]
    if (value === undefined || other === undefined) return value === undefined ? 1 : -1
    if (value !== other) return value < other ? -1 : 1
  }
  return 0
}
