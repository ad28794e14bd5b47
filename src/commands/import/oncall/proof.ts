import { oncallSchedules } from '../../../config/sections/oncall-schedules.ts'
import { type CompiledSchedule, compileSchedule } from '../../../policy/oncall/schedule.ts'
import { NOBODY, type Span } from '../../../policy/oncall/settings.ts'
import { differences } from '../../oncall/changes.ts'
import { localTexts } from '../../oncall/report.ts'
import type { Readings, Rendering, Tree } from './translated.ts'
import { minuteFrom } from './trees.ts'

const MINUTE_MS = 60_000

/** A schedule as it is written, and where the provider's rendering differs from it. */
interface Proof {
  readonly tree: Tree
  readonly isProven: boolean
  /** Lines of the report. */
  readonly lines: readonly string[]
}

/** Compiles a schedule as the service does. Throws a ZodError when it has more than it may. */
export function compiled(tree: Tree, span: Span): CompiledSchedule {
  const [schedule] = oncallSchedules.parse({ it: tree }).values()
  if (schedule === undefined) throw new RangeError('no schedule')
  return compileSchedule(schedule, span)
}

/** Compares each minute with what was rendered, and takes the reading with the fewest other ones. */
export function proofOf({ name, readings, rendered }: Readings): Proof {
  const theirs = rendered.map(compiledRendering).filter(({ span }) => span.from < span.until)
  const compared = readings.map((tree) => {
    const all = theirs.map((there) => ({ there, found: differences(there, compiled(tree, there.span), there.span) }))
    return { tree, all, unequal: all.reduce((sum, { found }) => sum + minutesOf(found), 0) }
  })
  const [best] = compared.sort((a, b) => a.unequal - b.unequal)
  if (best === undefined || theirs.length === 0)
    return {
      tree: readings[0] ?? {},
      isProven: false,
      lines: [`${name}: nothing to compare with: the export has no rendered time of it`],
    }
  const texts = localTexts(String(best.tree.time_zone))
  const lines = best.all.flatMap(({ there: { span }, found }) => [
    `${name}: ${count(minutesOf([span]) - minutesOf(found))} of ${count(minutesOf([span]))} minutes equal, ${texts(span).join(' to ')}`,
    ...found.map(
      ({ was, is, ...stretch }) => `  ${texts(stretch).join(' - ')}: ${is ?? NOBODY} here, ${was ?? NOBODY} there`,
    ),
  ])
  const hasGap = theirs.some(({ shifts }) => shifts.some(({ person }) => person === undefined))
  return { tree: hasGap ? { ...best.tree, gaps: 'allowed' } : best.tree, isProven: best.unequal === 0, lines }
}

const count = (minutes: number) => minutes.toLocaleString('en')
const minutesOf = (stretches: readonly Span[]) =>
  stretches.reduce((sum, { from, until }) => sum + (until - from) / MINUTE_MS, 0)

/** Returns a rendering as shifts; people who are on call together are one name. A minute is what its beginning is. */
function compiledRendering({ duties, ...given }: Rendering): CompiledSchedule {
  const inMinutes = <T extends Span>(stretch: T) => ({
    ...stretch,
    from: minuteFrom(stretch.from),
    until: minuteFrom(stretch.until),
  })
  const span = inMinutes(given)
  const sorted = duties.map(inMinutes).sort((a, b) => a.from - b.from)
  const edges = [span, ...sorted].flatMap(({ from, until }) => [from, until])
  const inside = [...new Set(edges)].filter((edge) => edge >= span.from && edge <= span.until).sort((a, b) => a - b)
  let [next, active] = [0, sorted.slice(0, 0)]
  const shifts = inside.slice(0, -1).map((from, at) => {
    const first = next
    while ((sorted[next]?.from ?? Number.POSITIVE_INFINITY) <= from) next++
    active = [...active, ...sorted.slice(first, next)].filter(({ until }) => until > from)
    const people = [...new Set(active.map(({ who }) => who))].sort()
    const because = { kind: 'gap' } as const
    return { from, until: inside[at + 1] ?? from, ...(people.length > 0 && { person: people.join(' + ') }), because }
  })
  return { span, shifts, edges: new Map() }
}
