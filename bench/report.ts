import { median } from '../test/harness/statistics.ts'

/** Options and outlets of one case. */
export interface TrialOptions {
  /** Short form: shorter and rougher. */
  readonly quick: boolean
  /** Folder that all trials of a run share; deleted at its end. */
  readonly scratch: string
  progress(what: string): void
  /** Adds a curve to the results. */
  curve(curve: Curve): void
}

/** One line of a plot. */
export interface Curve {
  /** Title of the plot. Curves with the same title share a plot. */
  readonly plot: string
  readonly name: string
  /** Unit of x. With `percentile`, y is in milliseconds. */
  readonly x: 'percentile' | 'seconds'
  readonly points: readonly (readonly [x: number, y: number])[]
}

/** Bounds of the median, inclusive. */
export interface Goal {
  readonly atLeast?: number
  readonly atMost?: number
}

/** One figure: the median of its samples, with their spread and number. */
export interface Measure {
  readonly median: number
  readonly min: number
  readonly max: number
  /** Number of samples. */
  readonly count: number
  /** Significant digits after the point. */
  readonly digits: number
  readonly goal?: Goal
}

export type TableCell = string | number | Measure
export type Row = { readonly [column: string]: TableCell }

/** Rows by title of their table. */
export interface Tables {
  readonly [title: string]: readonly Row[]
}

/** Options on which the list of cases may depend. */
export type CaseOptions = Pick<TrialOptions, 'quick'>

/** A kind of measurement and its cases. Each case runs in a process of its own. */
export interface Trial {
  readonly title: string
  /** Absent: one case. */
  cases?(options: CaseOptions): readonly object[]
  /** Parts that cannot be measured on this machine, with what is missing; '' when nothing is. */
  leftOut?(options: CaseOptions): string
  /** Plain rows go into a table with the trial's title. */
  run(options: TrialOptions, one: never): Promise<readonly Row[] | Tables>
}

/** Returns a figure; a goal applies to its median. */
export function measure(samples: readonly number[], digits: number, goal?: Goal): Measure {
  return {
    median: median(samples),
    min: Math.min(...samples),
    max: Math.max(...samples),
    count: samples.length,
    digits,
    ...(goal && { goal }),
  }
}

/** Returns a figure of one field of all samples. */
export function figure<F extends string>(
  samples: readonly { readonly [name in F]: number }[],
  name: F,
  digits: number,
): Measure {
  return measure(
    samples.map((each) => each[name]),
    digits,
  )
}

export const isMeasure = (cell: TableCell | undefined): cell is Measure => typeof cell === 'object'

/** True when a figure meets its goal. One that could not be measured (NaN, null in JSON) misses it. */
export function isMet({ median }: Measure, { atLeast = -Infinity, atMost = Infinity }: Goal): boolean {
  return Number.isFinite(median) && median >= atLeast && median <= atMost
}
