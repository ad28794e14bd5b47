import { readFileSync } from 'node:fs'
import { LineCounter, parseDocument } from 'yaml'
import { list, type Path } from '../../../config/config-error.ts'
import { CodedError } from '../../../domain/errors.ts'
import { MAX_PARTS } from '../../../policy/bundles/group.ts'
import { requiredDuration } from '../../../settings/fields.ts'
import { errorText } from '../../../text/error-text.ts'
import { isObject, type JsonObject } from '../../../text/json-object.ts'
import { nameOf, plain, type Receiver, secretOf, takeReceiver } from '../receivers.ts'
import { place } from '../tree.ts'
import type { Imported, TakeNote } from '../written.ts'
import { inhibitionsOf } from './inhibit-rules.ts'
import { type Match, matchOf } from './matchers.ts'
import { silencesOf } from './mutes.ts'
import { intervalsOf } from './time-intervals.ts'

/** Parts of the file without a counterpart. */
const GONE = new Map([
  ['templates', 'has no counterpart: each channel has a template of its own'],
  ['tracing', 'has no counterpart'],
  ['event_recorder', 'has no counterpart'],
])
/** Alertmanager's keys beside those of receivers. */
const KEYS = {
  file: [
    'global',
    'route',
    'receivers',
    'templates',
    'inhibit_rules',
    'mute_time_intervals',
    'time_intervals',
    'tracing',
    'event_recorder',
  ],
  route: [
    ...['receiver', 'routes', 'continue', 'matchers', 'match', 'match_re', 'group_by', 'group_wait', 'group_interval'],
    ...['repeat_interval', 'mute_time_intervals', 'active_time_intervals', 'labels'],
  ],
} as const

/** Translates a configuration of Alertmanager. Throws config_invalid. Nothing is written. */
export function translateAlertmanager(file: string, dataDir: string, now = Date.now()): Imported {
  const out: Imported = { tree: {}, comments: new Map(), notes: [], templates: new Map() }
  const { value, lineOf } = read(file)
  const note = (path: Path, message: string) =>
    void out.notes.push({ where: `${file}:${lineOf(path)}`, path: path.join('.'), message })
  for (const [key, message] of GONE) if (value[key] !== undefined) note([key], message)
  for (const key of unknownIn(value, KEYS.file)) note([key], 'is not a key of Alertmanager that this program knows')
  const intervals = intervalsOf(value, note)
  if (intervals.size > 0)
    place(
      out.tree,
      ['schedules'],
      Object.fromEntries(Array.from(intervals, ([name, { windows }]) => [idOf(name), windows])),
    )
  const receivers = new Map<string, Receiver>()
  for (const [nth, receiver] of list(value.receivers).entries())
    if (isObject(receiver)) receivers.set(String(receiver.name), takeReceiver(receiver, ['receivers', nth], out, note))
  if (isObject(value.global)) {
    takeMailServer(value.global, out)
    takeTimeout(value.global, out, note)
  }
  const silences: object[] = [...inhibitionsOf(value.inhibit_rules, note, now)]
  if (isObject(value.route)) {
    const pages = [...receivers.values()].some(({ routingKey }) => routingKey !== undefined)
    const rules = rulesOf(value.route, ['route'], {
      ...{ receivers, pages, note },
      muted: (route, path, match) => silences.push(...silencesOf(route, path, match, { intervals, note, now })),
    })
    place(
      out.tree,
      ['routes'],
      rules.map((rule, nth) => ({ name: `${nth + 1} ${rule.name}`, ...rule.rest })),
    )
    out.comments.set('routes', 'was route; the first rule that matches decides')
  }
  if (silences.length > 0) place(out.tree, ['silences'], silences)
  place(out.tree, ['storage', 'file', 'data_dir'], dataDir)
  return out
}

function read(file: string): { value: JsonObject; lineOf(path: Path): number } {
  const lines = new LineCounter()
  const document = parseDocument(readFileSync(file, 'utf8'), { lineCounter: lines })
  const [error] = document.errors
  const value: unknown = error === undefined ? document.toJS() : undefined
  if (!isObject(value))
    throw new CodedError('config_invalid', `${file}: cannot be read as YAML (${error ? errorText(error) : 'no map'})`)
  const lineOf = (path: Path): number => {
    const node = document.getIn(path, true) as { range?: [number, number, number] } | undefined
    return node?.range ? lines.linePos(node.range[0]).line : 1
  }
  return { value, lineOf }
}

const MAIL = [
  ['smtp_from', 'from'],
  ['smtp_auth_username', 'username'],
] as const

const unknownIn = (object: JsonObject, known: readonly string[]) =>
  Object.keys(object).filter((key) => !known.includes(key))

/** A name of a schedule has no spaces. */
const idOf = (name: string) => name.replace(/[^\w.@-]/g, '_').slice(0, 64)

const duration = requiredDuration(1_000)

function takeTimeout({ resolve_timeout: timeout }: JsonObject, { tree }: Imported, note: Context['note']): void {
  if (timeout === undefined) return
  if (duration.safeParse(timeout).success) place(tree, ['intake', 'alertmanager', 'resolve_timeout'], String(timeout))
  else note(['global', 'resolve_timeout'], 'is not taken over: write a time such as 5m')
}

function takeMailServer(global: JsonObject, { tree }: Imported): void {
  if (!isObject(tree.alert) || !isObject(tree.alert.email)) return
  const [, host = plain(global.smtp_smarthost), port = ''] = /^(.*):(\d+)$/.exec(plain(global.smtp_smarthost)) ?? []
  if (host !== '') place(tree, ['alert', 'email', 'smtp_host'], host)
  if (port !== '') place(tree, ['alert', 'email', 'smtp_port'], Number(port))
  for (const [theirs, ours] of MAIL)
    if (global[theirs] !== undefined) place(tree, ['alert', 'email', ours], plain(global[theirs]))
  const password = secretOf(global, 'smtp_auth_password')
  if (password !== '') place(tree, ['alert', 'email', 'password'], password)
  place(tree, ['alert', 'email', 'tls'], global.smtp_require_tls === false ? 'opportunistic' : 'require')
}

interface Rule {
  readonly name: string
  readonly rest: object
}

interface Context {
  readonly receivers: ReadonlyMap<string, Receiver>
  /** Some receiver pages, so that all rules say whether they do. */
  readonly pages: boolean
  /** Takes over the mute and active intervals of a route. */
  muted(route: JsonObject, path: Path, match: Match): void
  note(path: Path, message: string): void
}

/** Parts of a route that its children have too, unless they say otherwise. */
interface Inherited {
  readonly match: Match
  readonly receiver: string
  readonly grouping: Grouping
}

/** Returns the rules of a route: those of its children first, because there the deepest one that matches decides. */
function rulesOf(route: JsonObject, path: Path, context: Context, inherited?: Inherited): Rule[] {
  const { receivers, pages, note } = context
  if (route.repeat_interval !== undefined)
    note([...path, 'repeat_interval'], 'has no counterpart: see noise.repeats.remind in docs/repeats.md')
  if (route.labels !== undefined) note([...path, 'labels'], 'has no counterpart: a rule may name a template instead')
  for (const key of unknownIn(route, KEYS.route))
    note([...path, key], 'is not a key of a route that this program knows')
  const own = matchOf(route, { path, note })
  const receiver = String(route.receiver ?? inherited?.receiver ?? '')
  const clash = Object.keys(own ?? {}).find(
    (field) => inherited?.match[field] !== undefined && inherited.match[field] !== own?.[field],
  )
  if (own === undefined || clash !== undefined) {
    if (clash !== undefined) note(path, `has no counterpart: ${clash} has two conditions; write the rule by hand`)
    return []
  }
  const match = { ...inherited?.match, ...own }
  context.muted(route, path, match)
  const grouping = groupingOf(route, path, note, inherited?.grouping)
  const children = list(route.routes).flatMap((child, nth) =>
    isObject(child) ? rulesOf(child, [...path, 'routes', nth], context, { match, receiver, grouping }) : [],
  )
  const target = receivers.get(receiver)
  if (target === undefined) note(path, `there is no receiver ${receiver}: its alerts go to every enabled channel`)
  const oncall = target?.routingKey === undefined ? { enable: false } : { enable: true, routing_key: target.routingKey }
  const rest = {
    ...(Object.keys(match).length > 0 && { match }),
    ...(target?.to !== undefined && { to: target.to }),
    ...(pages && { oncall }),
    ...groupOf(grouping),
    ...(route.continue === true && { continue: true }),
  }
  return [...children, { name: nameOf(receiver), rest }]
}

/** Grouping of a route; `by` undefined: no route above it or itself has `group_by`. */
interface Grouping {
  readonly by?: readonly string[] | 'none'
  readonly interval?: string
}

const interval = requiredDuration(10_000)

/** Returns the grouping of a route, with what its parent says where it says nothing. */
function groupingOf(route: JsonObject, path: Path, note: TakeNote, inherited: Grouping = {}): Grouping {
  const { group_by: by, group_interval: every, group_wait: wait } = route
  if (wait !== undefined)
    note([...path, 'group_wait'], 'has no counterpart: nothing waits, the first alert of a group is sent at once')
  const labels = Array.isArray(by) ? by.map(String) : []
  if (labels.length > MAX_PARTS) note([...path, 'group_by'], `only the first ${MAX_PARTS} labels are taken over`)
  const fits = every === undefined || interval.safeParse(every).success
  if (!fits) note([...path, 'group_interval'], 'is not taken over: interval is a time from 10s to 365d')
  return {
    ...inherited,
    ...(Array.isArray(by) && { by: labels.includes('...') ? 'none' : labels.slice(0, MAX_PARTS) }),
    ...(every !== undefined && fits && { interval: String(every) }),
  }
}

/** Returns the part of a rule that says its grouping. */
function groupOf({ by, interval }: Grouping): object {
  if (by === undefined) return {}
  if (by === 'none') return { group: by }
  return { group: { by: by.map((label) => `labels.${label}`), ...(interval !== undefined && { interval }) } }
}
