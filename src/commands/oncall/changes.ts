import { compileSchedule, onCallAt } from '../../policy/oncall/schedule.ts'
import type { OncallSchedule, OncallSchedules, Span } from '../../policy/oncall/settings.ts'
import { alignedLines } from '../noise/columns.ts'
import { instantIn, localTexts, type When } from './report.ts'

/** How far back a change is one of the past. */
const PAST_MS = 30 * 86_400_000

/** A stretch in which another person is on call than before the change of the configuration. */
interface Change {
  readonly schedule: string
  /** Local time of the schedule. */
  readonly from: string
  readonly until: string
  /** Null: nobody. */
  readonly was: string | null
  readonly is: string | null
  /** It is in the past, or in the shift that ran at the time. */
  readonly settled: boolean
}

/** Returns every stretch whose person changes, from 30 days before the time, by schedule. */
export function changesOf(
  { before, after }: { readonly before: OncallSchedules; readonly after: OncallSchedules },
  { when, forMs }: { readonly when: When; readonly forMs: number },
): Change[] {
  return [...new Set([...before.keys(), ...after.keys()])].flatMap((name) => {
    const [old, given] = [before.get(name), after.get(name)]
    const timeZone = (given ?? old)?.timeZone ?? 'UTC'
    const now = instantIn(timeZone, when)
    const span = { from: now - PAST_MS, until: now + forMs }
    const [was, is] = [compiledOr(old, span), compiledOr(given, span)]
    const running = onCallAt(was, now)
    const settledUntil = running.person === undefined ? now : running.until
    const texts = localTexts(timeZone)
    return differences(was, is, span).map(({ from, until, ...people }) => {
      const [fromText, untilText] = texts({ from, until })
      const settled = old !== undefined && from < settledUntil
      return { schedule: name, from: fromText, until: untilText, ...people, settled }
    })
  })
}

type Compiled = ReturnType<typeof compileSchedule>

const compiledOr = (schedule: OncallSchedule | undefined, span: Span): Compiled =>
  schedule === undefined
    ? { span, shifts: [{ ...span, because: { kind: 'gap' } }], edges: new Map() }
    : compileSchedule(schedule, span)

/** Returns the stretches with different people; those that meet and have the same two are one. */
export function differences(was: Compiled, is: Compiled, span: Span) {
  const edges = new Set([...was.shifts, ...is.shifts].flatMap(({ from, until }) => [from, until]))
  const inside = [...edges].filter((edge) => edge > span.from && edge < span.until)
  const sorted = [span.from, ...inside.sort((a, b) => a - b), span.until]
  const found: { from: number; until: number; was: string | null; is: string | null }[] = []
  for (const [at, from] of sorted.slice(0, -1).entries()) {
    const until = sorted[at + 1] ?? from
    const people = { was: onCallAt(was, from).person ?? null, is: onCallAt(is, from).person ?? null }
    const last = found.at(-1)
    if (people.was === people.is) continue
    if (last?.until === from && last.was === people.was && last.is === people.is) last.until = until
    else found.push({ from, until, ...people })
  }
  return found
}

export function changeLines(changes: readonly Change[]): string[] {
  if (changes.length === 0) return ['no shift changes']
  const rows = changes.map(({ schedule, from, until, was, is, settled }) => [
    ...[schedule, from, until, was ?? 'nobody', is ?? 'nobody', settled ? 'PAST OR RUNNING' : ''],
  ])
  return alignedLines([['schedule', 'from', 'until', 'was', 'is', ''], ...rows])
}
