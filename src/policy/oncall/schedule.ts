import { ZoneClock } from './edge.ts'
import { dutiesOf } from './layer.ts'
import { DAY_MS, type LocalMs, NOBODY, type OncallSchedule, type Override, type Span } from './settings.ts'

/** The reason for a shift. */
type Because =
  | { readonly kind: 'layer'; readonly name: string }
  | { readonly kind: 'override'; readonly id: string }
  | { readonly kind: 'gap' }

/** A stretch with one person, or a gap. Infinite edges: for all that is known. */
export interface Shift extends Span {
  /** Key of a person; absent: nobody is on call. */
  readonly person?: string
  readonly because: Because
}

export interface CompiledSchedule {
  readonly span: Span
  /** They fill the span in order; the first and the last reach over its edges. */
  readonly shifts: readonly Shift[]
  /** Every edge that was computed, by its local time. */
  readonly edges: ReadonlyMap<LocalMs, number>
}

/** How far around the span a shift is followed to its edges: first, and at most. */
const NEAR_MS = 8 * DAY_MS
const FAR_MS = 2_048 * DAY_MS
const FURTHER = 4

/** Compiles a span into sorted shifts. Equal results for every span that holds the instant. */
export function compileSchedule(settings: OncallSchedule, span: Span): CompiledSchedule {
  const clock = new ZoneClock(settings.timeZone)
  let [before, after] = [NEAR_MS, NEAR_MS]
  for (;;) {
    const range = { from: span.from - before, until: span.until + after }
    const all = filled(decided(settings, clock, range), range)
    const found = all.filter(({ from, until }) => from < span.until && until > span.from)
    const [openStart, openEnd] = [found[0]?.from === range.from, found.at(-1)?.until === range.until]
    const isDone = (!openStart || before >= FAR_MS) && (!openEnd || after >= FAR_MS)
    if (isDone) return { span, shifts: found.map((shift) => unbounded(shift, range)), edges: clock.edges }
    if (openStart) before = Math.min(before * FURTHER, FAR_MS)
    if (openEnd) after = Math.min(after * FURTHER, FAR_MS)
  }
}

function unbounded(shift: Shift, range: Span): Shift {
  return {
    ...shift,
    from: shift.from === range.from ? Number.NEGATIVE_INFINITY : shift.from,
    until: shift.until === range.until ? Number.POSITIVE_INFINITY : shift.until,
  }
}

/** Returns what layers and overrides decide within the range, in order, with holes. */
function decided({ layers, overrides }: OncallSchedule, clock: ZoneClock, range: Span): Shift[] {
  let decided: Shift[] = []
  for (const layer of layers.toReversed()) {
    const because = { kind: 'layer', name: layer.name } as const
    const duties = clipped(dutiesOf(layer, clock, range), range)
    decided = overlaid(
      decided,
      duties.map((duty) => ({ ...duty, because })),
    )
  }
  for (const override of overrides) decided = overlaid(decided, clipped(coverOf(override, clock, decided), range))
  return decided
}

/** Returns the shifts that an override puts above the others. Shifts that it takes from a person keep their edges. */
function coverOf({ id, person, insteadOf, ...local }: Override, clock: ZoneClock, decided: readonly Shift[]): Shift[] {
  const span = { from: clock.instantOf(local.from), until: clock.instantOf(local.until) }
  const cover = { ...(person !== NOBODY && { person }), because: { kind: 'override', id } as const }
  if (insteadOf === undefined) return clipped([{ ...span, ...cover }], span)
  const theirs = decided.filter((shift) => shift.person === insteadOf)
  return clipped(theirs, span).map(({ from, until }) => ({ from, until, ...cover }))
}

/** Returns the parts of the stretches inside the range. */
export function clipped<T extends Span>(stretches: readonly T[], range: Span): T[] {
  return stretches.flatMap((each) => {
    const [from, until] = [Math.max(each.from, range.from), Math.min(each.until, range.until)]
    return from < until ? [{ ...each, from, until }] : []
  })
}

/** Returns the shifts above, and what they leave of those below. Both are in order. */
export function overlaid<T extends Span>(below: readonly T[], above: readonly T[]): T[] {
  const found = [...above]
  let first = 0
  for (const shift of below) {
    let from = shift.from
    while ((above[first]?.until ?? Number.POSITIVE_INFINITY) <= from) first++
    for (let at = first; from < shift.until; at++) {
      const cover = above[at]
      if (cover === undefined || cover.from >= shift.until) break
      if (cover.from > from) found.push({ ...shift, from, until: cover.from })
      from = cover.until
    }
    if (from < shift.until) found.push({ ...shift, from })
  }
  return found.sort((a, b) => a.from - b.from)
}

/** Returns the shifts with gaps in the holes between them. */
function filled(decided: readonly Shift[], range: Span): Shift[] {
  const found: Shift[] = []
  let { from } = range
  for (const shift of decided) {
    if (shift.from > from) found.push({ from, until: shift.from, because: { kind: 'gap' } })
    found.push(shift)
    from = shift.until
  }
  if (from < range.until) found.push({ from, until: range.until, because: { kind: 'gap' } })
  return found
}

/** Returns the shift that holds the instant: a binary search. Throws RangeError outside the compiled span. */
export function onCallAt({ span, shifts }: CompiledSchedule, instant: number): Shift {
  const shift = instant >= span.from && instant < span.until ? shifts[firstAfter(shifts, instant) - 1] : undefined
  if (shift === undefined) throw new RangeError('the instant is outside the compiled span')
  return shift
}

/** Returns `layer weeks`, `override 1 of the file by Ben: holidays` or `gap`. */
export function reasonOf({ because }: Shift, { overrides }: OncallSchedule): string {
  if (because.kind === 'gap') return 'gap'
  if (because.kind === 'layer') return `layer ${because.name}`
  const { by = '', reason = '' } = overrides.find(({ id }) => id === because.id) ?? {}
  return overrideText(`${because.id} of the file`, { by, reason })
}

export const overrideText = (id: string, { by, reason }: { readonly by: string; readonly reason: string }) =>
  `override ${id}${by && ` by ${by}`}${reason && `: ${reason}`}`

/** Returns the shifts and gaps that fill the span without overlap; the first and the last keep their edges. */
export function shifts(schedule: CompiledSchedule, from: number, until: number): readonly Shift[] {
  if (from >= until) return []
  onCallAt(schedule, from)
  onCallAt(schedule, until - 1)
  return schedule.shifts.slice(firstAfter(schedule.shifts, from) - 1, firstAfter(schedule.shifts, until - 1))
}

/** Returns the index of the first shift that begins after the instant. */
export function firstAfter(shifts: readonly Span[], instant: number): number {
  let [low, high] = [0, shifts.length]
  while (low < high) {
    const middle = (low + high) >>> 1
    if ((shifts[middle]?.from ?? Number.POSITIVE_INFINITY) <= instant) low = middle + 1
    else high = middle
  }
  return low
}

/** Returns the stretches of the span without a person; those that meet are one. */
export function uncovered({ span, shifts }: CompiledSchedule): Span[] {
  const found: { from: number; until: number }[] = []
  for (const { person, from, until } of clipped(shifts, span)) {
    const last = found.at(-1)
    if (person !== undefined) continue
    if (last?.until === from) last.until = until
    else found.push({ from, until })
  }
  return found
}
