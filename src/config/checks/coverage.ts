import { contradicted, createShown, type Shown, ZoneClock } from '../../policy/oncall/edge.ts'
import type { Escalation } from '../../policy/oncall/escalation.ts'
import { handoverFrom } from '../../policy/oncall/layer.ts'
import { localText } from '../../policy/oncall/local-time.ts'
import { type CompiledSchedule, compileSchedule, onCallAt, uncovered } from '../../policy/oncall/schedule.ts'
import {
  DAY_MS,
  NOBODY,
  type OncallLayer,
  type OncallSchedule,
  type OncallSchedules,
  type Span,
} from '../../policy/oncall/settings.ts'
import type { LocatedIssue } from '../config-error.ts'

const DAYS = 400

interface Findings {
  readonly errors: readonly LocatedIssue[]
  readonly warnings: readonly LocatedIssue[]
}

interface Checked {
  readonly oncallSchedules: OncallSchedules
  /** Absent: there are no escalations, and every schedule counts as used. */
  readonly oncallRules?: { readonly escalations: ReadonlyMap<string, Escalation> }
  /** Places in the file. */
  readonly escalationPlaces: ReadonlyMap<string, string>
}

/** One schedule, compiled for the days that are looked at. */
interface Looked {
  readonly name: string
  readonly path: readonly string[]
  readonly schedule: OncallSchedule
  readonly compiled: CompiledSchedule
  readonly shown: Shown
  readonly clock: ZoneClock
}

/** Looks at who is on call in the next 400 days. A gap of a schedule that no escalation uses is a warning. `now`: epoch milliseconds. */
export function coverage(
  { oncallSchedules: schedules, oncallRules, escalationPlaces }: Checked,
  now: number,
): Findings {
  const span = { from: now, until: now + DAYS * DAY_MS }
  const looked = Array.from(schedules, ([name, schedule]): Looked => {
    const compiled = compileSchedule(schedule, span)
    const [shown, clock] = [createShown(schedule.timeZone), new ZoneClock(schedule.timeZone)]
    return { name, path: ['oncall', 'schedules', name], schedule, compiled, shown, clock }
  })
  const escalations = [...(oncallRules?.escalations.values() ?? [])]
  const used = new Set(escalations.flatMap(({ steps }) => steps.flatMap(({ notify }) => notify.map(scheduleOf))))
  const counts = ({ name }: Looked) => escalations.length === 0 || used.has(name)
  const compiled = new Map(looked.map((each) => [each.name, each.compiled]))
  return {
    errors: looked.flatMap((each) => [...wrongEdges(each), ...(counts(each) ? gaps(each) : [])]),
    warnings: [
      ...looked.flatMap((each) => (counts(each) ? [] : [...gaps(each)])),
      ...looked.flatMap((each) => [...peopleWarnings(each), ...layerWarnings(each), ...overrideWarnings(each)]),
      ...escalations.flatMap((each) => [
        ...onePersonWarnings(each, { compiled, span, where: escalationPlaces.get(each.name) ?? '' }),
      ]),
    ],
  }
}

const scheduleOf = (target: Escalation['steps'][number]['notify'][number]) =>
  target.kind === 'schedule' ? target.name : undefined

interface Around {
  readonly compiled: ReadonlyMap<string, CompiledSchedule>
  readonly span: Span
  readonly where: string
}

/** Warns of a time in which every step asks one and the same person. A provider reaches others. */
function* onePersonWarnings({ name, steps }: Escalation, { compiled, span, where }: Around): Generator<LocatedIssue> {
  const asking = steps.map(({ notify }) => notify.filter(({ kind }) => kind === 'schedule' || kind === 'person'))
  const reachesProvider = steps.some(
    (step) => step.minRank === undefined && step.notify.some(({ kind }) => kind === 'provider'),
  )
  if (reachesProvider || asking.filter(({ length }) => length > 0).length < 2) return
  const targets = asking.flat()
  const schedules = targets.flatMap((target) => compiled.get(scheduleOf(target) ?? '') ?? [])
  const begins = schedules.flatMap(({ shifts }) => shifts.map(({ from }) => Math.max(from, span.from)))
  const found = [...new Set(begins)]
    .sort((a, b) => a - b)
    .flatMap((from) => {
      const named = targets.map((target) => (target.kind === 'person' ? target.name : undefined))
      const people = new Set([...named, ...schedules.map((each) => onCallAt(each, from).person)])
      people.delete(undefined)
      return people.size === 1 ? [{ from, person: [...people][0] }] : []
    })
  const [first] = found
  if (first === undefined) return
  const message = `every step asks ${first.person} and no other person from ${new Date(first.from).toISOString()} on${others(found.length)}`
  yield { where, path: ['oncall', 'escalations', name], message }
}

const others = (count: number) => (count > 1 ? `, and ${count - 1} more` : '')

function* wrongEdges({ path, schedule, compiled, shown }: Looked): Generator<LocatedIssue> {
  const wrong = contradicted(compiled.edges, shown)
  const [first] = wrong
  if (first === undefined) return
  const [local, instant] = [localText(first[0]), new Date(first[1]).toISOString()]
  const message = `clocks in ${schedule.timeZone} do not reach ${local} at ${instant}, which was computed${others(wrong.length)}: the zone data of the library and of Node differ; move the edge`
  yield { where: schedule.where, path, message }
}

function* gaps({ path, schedule, compiled, shown }: Looked): Generator<LocatedIssue> {
  const found = schedule.gaps === 'allowed' ? [] : uncovered(compiled)
  const [first] = found
  if (first === undefined) return
  const [from, until] = [first.from, first.until].map((edge) => localText(shown(edge)))
  const message = `nobody is on call from ${from} until ${until}${others(found.length)}, in the next ${DAYS} days: add a layer, or set gaps: allowed`
  yield { where: schedule.where, path, message }
}

function* peopleWarnings({ path, schedule, compiled }: Looked): Generator<LocatedIssue> {
  const { span, shifts } = compiled
  const people = new Set(shifts.map(({ person }) => person).filter((person) => person !== undefined))
  const members = new Set(schedule.layers.flatMap((layer) => layer.editions.flatMap((edition) => edition.members)))
  members.delete(NOBODY)
  const [only] = members
  if (members.size === 1) yield { where: schedule.where, path, message: `has one person, ${only}, for all of the time` }
  for (const [at, { where, editions }] of schedule.layers.entries()) {
    const current = editions.findLastIndex(({ date }) => date <= span.from)
    const inForce = editions.slice(Math.max(0, current)).filter(({ date }) => date < span.until)
    for (const member of new Set(inForce.flatMap(({ members }) => members)))
      if (member !== NOBODY && !people.has(member))
        yield { where, path: [...path, 'layers', `${at}`], message: `${member} has no shift in the next ${DAYS} days` }
  }
}

function* layerWarnings(looked: Looked): Generator<LocatedIssue> {
  const { path, schedule, compiled } = looked
  const shown = new Set(compiled.shifts.map(({ because }) => (because.kind === 'layer' ? because.name : undefined)))
  for (const [at, layer] of schedule.layers.entries()) {
    const warning = (message: string) => ({ where: layer.where, path: [...path, 'layers', `${at}`], message })
    if (!shown.has(layer.name))
      yield warning(`decides nothing in the next ${DAYS} days: it is over, or hidden by the layers above`)
    const skipped = skippedHandover(layer, looked)
    if (skipped !== undefined) yield warning(skipped)
    for (const { date } of layer.editions.slice(1)) {
      const first = handoverFrom(layer, date)
      if (first - (first % DAY_MS) !== date && looked.clock.instantOf(first) > compiled.span.from)
        yield warning(`the list of ${localText(date).slice(0, 10)} counts from ${localText(first)}, the next handover`)
    }
  }
}

/** Hours are skipped and repeated on purpose. */
function skippedHandover(layer: OncallLayer, { compiled: { edges, span }, shown }: Looked): string | undefined {
  if (layer.every.unit === 'hour') return undefined
  for (const [local, instant] of edges)
    if (
      instant >= span.from &&
      instant < span.until &&
      shown(instant) !== local &&
      handoverFrom(layer, local) === local
    )
      return `clocks skip the handover of ${localText(local)}: it is at ${localText(shown(instant))}`
  return undefined
}

function* overrideWarnings({ path, schedule: { overrides }, compiled, clock }: Looked): Generator<LocatedIssue> {
  const coming = overrides.filter(({ until }) => clock.instantOf(until) > compiled.span.from)
  for (const [at, override] of overrides.entries()) {
    const warning = (message: string) => ({ where: override.where, path: [...path, 'overrides', `${at}`], message })
    if (!coming.includes(override)) yield warning('is over and has no effect: delete it')
    const other = coming.find(
      (each) => overrides.indexOf(each) < at && each.from < override.until && override.from < each.until,
    )
    if (coming.includes(override) && other !== undefined)
      yield warning(`overlaps override ${other.id} of the list (${other.where}): where both count, this one wins`)
  }
}
