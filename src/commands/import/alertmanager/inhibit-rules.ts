import { list } from '../../../config/config-error.ts'
import { silences } from '../../../config/sections/silences.ts'
import { type Condition, compileCondition } from '../../../policy/condition.ts'
import { MatchCache } from '../../../policy/matcher.ts'
import type { SilenceSettings } from '../../../policy/silences/settings.ts'
import { isObject, type JsonObject } from '../../../text/json-object.ts'
import { plain } from '../receivers.ts'
import { type At, type Match, matchOf } from './matchers.ts'

const YEAR_MS = 365 * 24 * 3_600_000
const MAX_COMMENT = 200
/** Every alert of Prometheus has a name. */
const ANY_ALERT: Match = { 'labels.alertname': '/.+/' }
const KEYS: ReadonlySet<string> = new Set([
  'name',
  'equal',
  ...['source', 'target'].flatMap((side) => [`${side}_match`, `${side}_match_re`, `${side}_matchers`]),
])

/** Returns a silence for each inhibition rule that has one. `now`: epoch milliseconds. */
export function inhibitionsOf(rules: unknown, note: At['note'], now: number): object[] {
  if (!Array.isArray(rules)) return []
  return rules.flatMap((rule: unknown, nth) =>
    isObject(rule) ? (inhibitionOf(rule, { path: ['inhibit_rules', nth], note }, now) ?? []) : [],
  )
}

function inhibitionOf(rule: JsonObject, at: At, now: number): object | undefined {
  const { path, note } = at
  for (const key of Object.keys(rule))
    if (!KEYS.has(key)) note([...path, key], 'is not a key of an inhibition rule that this program knows')
  const [source, target] = [sideOf(rule, at, 'source_'), sideOf(rule, at, 'target_')]
  if (source === undefined || target === undefined) return undefined
  if (isEmpty(source)) return void note(path, 'is not taken over: it names no source, so every alert would be one')
  if (isEmpty(target)) note(path, 'names no target: the silence is for every alert that has an alertname')
  const equal = [...new Set(list(rule.equal).map(String))]
  const silence = {
    name: `inhibition ${Number(path.at(-1)) + 1}`,
    match: isEmpty(target) ? ANY_ALERT : target,
    while: { match: source, ...(equal.length > 0 && { equal }) },
    until: new Date(now + YEAR_MS).toISOString().slice(0, 10),
    owner: 'alertmanager.yml',
    comment: plain(String(rule.name ?? path.join('.')).slice(0, MAX_COMMENT)),
  }
  const { data: [settings] = [], error } = silences.safeParse([JSON.parse(loaded(JSON.stringify(silence)))])
  const [fault] = error?.issues ?? []
  if (settings === undefined)
    return void note(
      path,
      `is not taken over: its silence would be refused (${fault?.path.slice(1).join('.')} ${fault?.message})`,
    )
  note(path, `became a silence until ${silence.until}: renew it in time`)
  if (!areApart(settings))
    note(path, 'an alert that fits source and target is never held; there another source can hold it')
  return silence
}

/** Returns a text as a configuration with it is loaded. */
const loaded = (text: string) => text.replaceAll('$${', () => '${')

/** Leaves out conditions that every alert fits. */
function sideOf(rule: JsonObject, at: At, prefix: 'source_' | 'target_'): Match | undefined {
  const match = matchOf(rule, at, prefix)
  return match && Object.fromEntries(Object.entries(match).filter(([, value]) => value !== '/.*/'))
}

const isEmpty = (match: Match) => Object.keys(match).length === 0

/** No alert fits source and target, because one side names a value that the other does not take. */
function areApart({ conditions, while: causes = [] }: SilenceSettings): boolean {
  const cache = new MatchCache()
  const [targets, sources] = [conditions, causes].map((side) => side.map((each) => compileCondition(each, cache)))
  return (targets ?? []).some((target) =>
    (sources ?? []).some(
      (source) =>
        source.settings.field === target.settings.field && (excludes(source, target) || excludes(target, source)),
    ),
  )
}

const excludes = ({ matcher }: Condition, other: Condition) =>
  !matcher.negated && matcher.patterns.every(({ kind, text }) => kind === 'literal' && !other.matcher.matches(text))
