import type { SilencePage, SilencePreview, SilenceRecord } from '../../api/noise/silence.ts'
import type { SilenceCreated } from '../../api/noise/silence-requests.ts'
import { UsageError } from '../command.ts'
import { defineCommand, type ParsedArguments } from '../define-command.ts'
import { callApi, type Service, serviceOf } from '../service.ts'
import { ANSWER, print } from './answer.ts'
import { alignedLines } from './columns.ts'

const PATH = '/api/admin/silences'

const OPTIONS = {
  for: { value: 'TIME', description: 'length, such as 90m or 2h; of extend: from now' },
  until: { value: 'TIME', description: 'end, such as 2027-06-30T02:00:00Z, in place of --for; or resolved' },
  'quiet-for': { value: 'TIME', description: 'with --until resolved: how long no problem has to fire; default: 10m' },
  max: { value: 'TIME', description: 'with --until resolved: its longest time; default: 24h' },
  equal: { value: 'LABELS', description: 'with while: labels that a cause and what it holds have in common' },
  problem: { value: 'NUMBER', description: 'in place of conditions: this problem alone' },
  owner: { value: 'NAME', description: 'person or team that answers for it' },
  comment: { value: 'TEXT', description: 'why' },
  name: { value: 'TEXT', description: 'name; default: its conditions' },
  by: { value: 'NAME', description: 'of end: the person who ends it' },
  'until-resolved': { description: 'older spelling of --until resolved, with --for as its longest time' },
  broad: { description: 'make it although it would hold more than half of all incidents' },
  all: { description: 'of list: ended ones too' },
  ...ANSWER,
} as const
type Given = ParsedArguments<typeof OPTIONS>

export const silence = defineCommand({
  name: 'silence',
  summary: 'list, add, extend and end silences of a running service',
  about: `silence list
silence add service=db-* 'title=~disk.*' team!=web --for 2h --owner Anna --comment 'disks are replaced'
silence add service=db-* while service=core-switch --until 2027-06-30T00:00:00Z --owner Anna --comment 'behind the switch'
silence add severity=warning while severity=critical --equal alertname,host --until 2027-06-30T00:00:00Z ...
silence add --problem 12 --until resolved --owner Anna --comment 'a new disk is on its way'
silence preview service=db-* --for 2h
silence extend NUMBER --for 2h
silence end NUMBER

A name that is no field is a label. With while, the silence is in force as long as a problem fires that fits what
follows, until --until at most. The secret is read from GATEWAY_SECRET or the configuration.`,
  word: 'WHAT ...',
  options: OPTIONS,
  async run(given, [what = 'list', ...words]) {
    const action = Object.hasOwn(ACTIONS, what) ? ACTIONS[what] : undefined
    if (action === undefined) throw new UsageError(`silence takes one of ${Object.keys(ACTIONS).join(', ')}`)
    const { answer, lines } = await action(serviceOf(given), words, given)
    print(given.json, answer, () => lines)
    return 0
  },
})

interface Printed {
  readonly answer: unknown
  readonly lines: readonly string[]
}

type Action = (service: Service, words: readonly string[], given: Given) => Promise<Printed>

const ACTIONS: { readonly [what: string]: Action } = {
  async list(service, words, { all }) {
    if (words.length > 0) throw new UsageError('silence list takes no words')
    const answer = await callApi<SilencePage>(service, `${PATH}?limit=500`)
    return { answer, lines: listLines(answer.silences.filter(({ state }) => all || state !== 'ended')) }
  },
  async add(service, words, given) {
    const answer = await callApi<SilenceCreated>(service, PATH, { method: 'POST', json: requestOf(words, given) })
    return { answer, lines: [madeLine(answer.silence), ...previewLines(answer.preview)] }
  },
  async preview(service, words, given) {
    const json = requestOf(words, { ...given, owner: given.owner ?? '-', comment: given.comment ?? '-' })
    const answer = await callApi<SilencePreview>(service, `${PATH}/preview`, { method: 'POST', json })
    return { answer, lines: previewLines(answer) }
  },
  async extend(service, words, given) {
    const json = endOf(given)
    const answer = await callApi<SilenceRecord>(service, pathOf(words), { method: 'PATCH', json })
    return { answer, lines: [`silence ${answer.id} lasts until ${answer.until ?? answer.ends_at}`] }
  },
  async end(service, words, { by }) {
    const query = by === undefined ? '' : `?${new URLSearchParams({ by })}`
    const answer = await callApi<SilenceRecord>(service, `${pathOf(words)}${query}`, { method: 'DELETE' })
    return { answer, lines: [`silence ${answer.id} has ended`] }
  },
}

function pathOf([number = '', ...more]: readonly string[]): string {
  if (more.length > 0 || !/^\d+$/.test(number)) throw new UsageError('give the number of one silence')
  return `${PATH}/${number}`
}

function endOf({ for: length, until }: Given) {
  if ((length === undefined) === (until === undefined)) throw new UsageError('one of --for and --until is needed')
  return length === undefined ? { ends_at: until } : { for: length }
}

function endingOf(given: Given) {
  const { until, max, for: length, 'quiet-for': quiet } = given
  const until_resolved = given['until-resolved'] ?? false
  const common = { ...(quiet !== undefined && { quiet_for: quiet }), ...(until_resolved && { until_resolved }) }
  if (until !== 'resolved') return { ...endOf(given), ...common }
  if (length !== undefined) throw new UsageError('--until resolved takes --max in place of --for')
  return { until, ...common, ...(max !== undefined && { max }) }
}

/** Parts the conditions of a silence from those of its causes. */
const WHILE = 'while'

function untilOf({ for: length, until }: Given): string {
  if (length !== undefined || until === undefined)
    throw new UsageError('while needs --until in place of --for: the end for good, a year ahead at most')
  return until
}

function requestOf(words: readonly string[], given: Given) {
  const { owner, comment, name, broad, equal, problem } = given
  const at = words.indexOf(WHILE)
  const [matchers, causes] = at < 0 ? [words, undefined] : [words.slice(0, at), words.slice(at + 1)]
  if (problem !== undefined && (words.length > 0 || !/^\d+$/.test(problem)))
    throw new UsageError('--problem takes the number of one problem, in place of conditions')
  if (matchers.length === 0 && problem === undefined) throw new UsageError('give conditions, such as service=db-*')
  if (causes?.length === 0) throw new UsageError('give conditions after while, such as service=core-switch')
  if (equal !== undefined && causes === undefined) throw new UsageError('--equal belongs to while')
  const labels = equal === undefined ? undefined : { equal: equal.split(',').map((label) => label.trim()) }
  if (owner === undefined || comment === undefined) throw new UsageError('--owner and --comment are needed')
  return {
    ...(problem === undefined ? { matchers } : { problem: Number(problem) }),
    ...(causes === undefined ? endingOf(given) : { while: { matchers: causes, ...labels }, until: untilOf(given) }),
    owner,
    comment,
    ...(name !== undefined && { name }),
    ...(broad && { broad }),
  }
}

function madeLine({ id, state, ends_at, until, while_text, until_resolved, quiet_ends_at }: SilenceRecord): string {
  if (while_text !== null) return `silence ${id} is ${state}, in force while ${while_text} fires, until ${until}`
  if (!until_resolved) return `silence ${id} is ${state}, until ${ends_at}`
  const soon =
    quiet_ends_at === null ? '' : `; nothing that fits it fires, and it ends at ${quiet_ends_at} if this stays so`
  return `silence ${id} is ${state}, until its problems are resolved, at most until ${ends_at}${soon}`
}

function listLines(found: readonly SilenceRecord[]): string[] {
  if (found.length === 0) return ['no silence']
  return alignedLines([
    ['silence', 'state', 'name', 'conditions', 'owner', 'from', 'until', 'held', 'firing'],
    ...found.map(({ id, state, name, text, while_text, owner, starts_at, ends_at, until, held }) => {
      const conditions = while_text === null ? text : `${text}, while ${while_text}`
      const end = ends_at ?? until ?? '-'
      return [id, state, name, conditions, owner, starts_at, end, held?.alerts ?? 0, held?.firing ?? 0]
    }),
  ])
}

function previewLines({ text, incidents, looked_at, problems, criticals, pages, examples, since }: SilencePreview) {
  return [
    `${text}: of ${looked_at} incidents since ${since} it would have held ${incidents}, of ${problems} problems; ${criticals} critical, ${pages} with a page`,
    ...alignedLines(examples.map(({ incident_id, severity, title }) => [` ${severity}`, title, incident_id])),
  ]
}
