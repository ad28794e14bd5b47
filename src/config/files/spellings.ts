import { dotted, line, list, type Path, valueAt } from '../config-error.ts'
import type { Environment } from '../environment/environment.ts'
import { placed, removed } from './graft.ts'
import type { ParsedSource, Source } from './source.ts'

/** Keys that other gateways spell otherwise, with the key that stands for each. */
const SPELLINGS: readonly (readonly [theirs: Path, ours: string])[] = [
  [['alert', 'msgapp', 'bot_token'], 'token'],
  [['alert', 'msgapp', 'chat_id'], 'channel_id'],
  [['alert', 'messenger', 'bot_token'], 'token'],
  [['alert', 'messenger', 'api_type'], 'mode'],
  [['alert', 'officechat', 'power_automate_url'], 'flow_url'],
  [['alert', 'officechat', 'other_power_urls'], 'other_flow_urls'],
  [['storage', 'postgres', 'dsn'], 'url'],
]
const PERSON: Path = ['alert', 'messenger', 'user_id']
const MODE: Path = ['alert', 'messenger', 'mode']

/** Takes other spellings of keys as ours, each with a warning that names ours. */
export function respelled(main: ParsedSource, environment: Environment): ParsedSource {
  const warnings: string[] = []
  let { source } = main
  for (const [theirs, ours] of [...SPELLINGS, ...sourceSpellings(source)]) take(theirs, ours)
  const mode = environment.get(dotted(MODE))?.text ?? valueAt(source.value, MODE)
  if (mode === 'bot' && !isEmpty(valueAt(source.value, PERSON))) take(PERSON, 'channel_id', true)
  else drop(PERSON, 'has no effect: it counts with "mode: bot", as "channel_id"')
  drop(
    ['oncall', 'initialized_only'],
    'is not needed: with "enable: false", ?oncall_enable=true pages for one incident',
  )
  return { ...main, source, warnings: [...main.warnings, ...warnings] }

  function take(theirs: Path, name: string, comesFirst = false): void {
    const value = valueAt(source.value, theirs)
    if (value === undefined) return
    const ours = [...theirs.slice(0, -1), name]
    if (!comesFirst && !isEmpty(valueAt(source.value, ours)))
      return drop(theirs, `has no effect: "${name}" is set as well; delete the key`)
    warnings.push(line({ where: source.where(theirs), path: theirs, message: `is taken as "${name}": rename it` }))
    source = moved(source, theirs, ours)
  }

  function drop(path: Path, message: string): void {
    const value = valueAt(source.value, path)
    if (value === undefined) return
    if (!isEmpty(value)) warnings.push(line({ where: source.where(path), path, message }))
    source = { ...source, value: removed(source.value, path) }
  }
}

const isEmpty = (value: unknown) => value === undefined || value === null || value === ''

function sourceSpellings({ value }: Source): [Path, string][] {
  const sources = list(valueAt(value, ['agent', 'sources']))
  return sources.map((_, at) => [['agent', 'sources', at, 'loki', 'bearer_token'], 'token'])
}

function moved(source: Source, from: Path, to: Path): Source {
  const before = (at: Path) => (dotted(at.slice(0, to.length)) === dotted(to) ? [...from, ...at.slice(to.length)] : at)
  return {
    value: placed(removed(source.value, from), to, valueAt(source.value, from)),
    where: (at) => source.where(before(at)),
    written: (at) => source.written(before(at)),
  }
}
