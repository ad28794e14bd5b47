import type { FatigueReport } from '../../../../src/api/noise/report.ts'
import type { HourOfDestination, ReportedProblem, ReportPart } from '../../../../src/store/noise/queries/report.ts'
import { isoTime } from '../../../../src/text/iso-time.ts'

interface Period {
  /** Epoch milliseconds, as `to`. */
  readonly from: number
  readonly to: number
  /** Name that `Intl` knows. */
  readonly timeZone: string
}

const LISTED = 20
const FLAPS = 3
const NIGHT = { from: 22, to: 7 }

/** Adds up the steps of a report, which come newest first. */
export class Fatigue {
  readonly #period: Period
  readonly #hourOfDay: Intl.DateTimeFormat
  readonly #destinations = new Map<string, HourOfDestination[]>()
  readonly #problems = new Map<string, ReportedProblem>()
  readonly #pages: ReportPart['pages'][number][] = []
  readonly #told = { by_message: 0, by_digest: 0, waiting: 0, silenced: 0, dead: 0 }
  #countedSince: number
  incidents = 0

  constructor(period: Period) {
    this.#period = period
    this.#countedSince = period.to
    this.#hourOfDay = new Intl.DateTimeFormat('en', { timeZone: period.timeZone, hour: 'numeric', hourCycle: 'h23' })
  }

  add(part: ReportPart): void {
    this.incidents += part.incidents
    this.#countedSince = part.reached ? this.#period.from : Math.min(this.#countedSince, part.oldestAt ?? Infinity)
    this.addMessages(part.messages)
    this.#pages.push(...part.pages)
    for (const { state, byDigest, count } of part.deliveries) {
      if (state === 'sent') this.#told[byDigest ? 'by_digest' : 'by_message'] += count
      else if (state === 'dead' || state === 'silenced') this.#told[state] += count
      else if (state !== 'skipped') this.#told.waiting += count
    }
    for (const problem of part.problems) this.#addProblem(problem)
  }

  addMessages(hours: readonly HourOfDestination[]): void {
    for (const hour of hours)
      this.#destinations.set(hour.destination, [...(this.#destinations.get(hour.destination) ?? []), hour])
  }

  report(): Omit<FatigueReport, 'unused_silences'> {
    const { from, to, timeZone } = this.#period
    const told = this.#told.by_message + this.#told.by_digest
    const problems = [...this.#problems.values()]
    const most = (rows: readonly ReportedProblem[], of: (row: ReportedProblem) => number) =>
      rows
        .toSorted((a, b) => of(b) - of(a))
        .slice(0, LISTED)
        .map(problemOf)
    return {
      from: isoTime(from),
      to: isoTime(to),
      counted_since: isoTime(this.#countedSince),
      time_zone: timeZone,
      incidents: this.incidents,
      destinations: [...this.#destinations]
        .map(([destination, hours]) => ({
          destination,
          messages: sumOf(hours, 'count'),
          edits: sumOf(hours, 'edits'),
          ...this.#hours(hours),
        }))
        .sort((a, b) => b.messages - a.messages),
      notified: { ...this.#told, share_by_digest: told === 0 ? null : this.#told.by_digest / told },
      pages: {
        paged: sumOf(this.#pages, 'count'),
        never_acknowledged: sumOf(this.#pages, 'unacknowledged'),
        ...this.#hours(this.#pages),
      },
      top: most(problems, ({ firing, resolved }) => firing + resolved),
      flapping: most(
        problems.filter(({ firing, resolved }) => Math.min(firing, resolved) >= FLAPS),
        ({ resolved }) => resolved,
      ),
    }
  }

  /** The first one seen of a fingerprint is the latest. */
  #addProblem(problem: ReportedProblem): void {
    const known = this.#problems.get(problem.fingerprint)
    const { firing, resolved } = problem
    const sum = known && { ...known, firing: known.firing + firing, resolved: known.resolved + resolved }
    this.#problems.set(problem.fingerprint, sum ?? problem)
  }

  #hours(rows: readonly { readonly hour: number; readonly count: number }[]) {
    const byHour = new Map<number, number>()
    for (const { hour, count } of rows) byHour.set(hour, (byHour.get(hour) ?? 0) + count)
    const night = [...byHour].filter(([hour]) => this.#isNight(hour)).reduce((sum, [, count]) => sum + count, 0)
    const sorted = [...byHour].sort(([a], [b]) => a - b)
    return { at_night: night, by_hour: sorted.map(([hour, count]) => ({ at: isoTime(hour), count })) }
  }

  #isNight(at: number): boolean {
    const hour = Number(this.#hourOfDay.format(at))
    return hour >= NIGHT.from || hour < NIGHT.to
  }
}

function problemOf({ id, ...problem }: ReportedProblem): FatigueReport['top'][number] {
  return { ...problem, last_incident_id: id }
}

const sumOf = <Column extends string>(rows: readonly { readonly [name in Column]: number }[], column: Column) =>
  rows.reduce((sum, row) => sum + row[column], 0)
