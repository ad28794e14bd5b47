import { median } from '../test/harness/statistics.ts'

/** How one case of a trial is to be run. */
export interface TrialOptions {
  /** Shorter and rougher. */
  readonly quick: boolean
  /** Folder of what a trial measures with, where that is not its own. */
  readonly data?: string | undefined
  /** A folder that all trials of a run have in common; it goes when the run ends. */
  readonly scratch: string
  progress(what: string): void
  /** Something to be drawn. */
  curve(curve: Curve): void
}

/** A line of a plot. */
export interface Curve {
  /** Title of the plot; curves of one title share it. */
  readonly plot: string
  readonly name: string
  /** What the first number of a point is; with `percentile` the second one is milliseconds. */
  readonly x: 'percentile' | 'seconds'
  readonly points: readonly (readonly [x: number, y: number])[]
}

/** Bounds that the median is to keep, both included. */
export interface Goal {
  readonly atLeast?: number
  readonly atMost?: number
}

/** One figure, and all the samples it was made from. */
export interface Measure {
  readonly median: number
  readonly min: number
  readonly max: number
  readonly samples: readonly number[]
  /** Digits after the point that mean anything. */
  readonly digits: number
  readonly goal?: Goal
}

export type TableCell = string | number | Measure
export type Row = { readonly [column: string]: TableCell }

/** Rows by the titles of their tables. */
export interface Tables {
  readonly [title: string]: readonly Row[]
}

/** What may decide which cases there are. */
export type CaseOptions = Pick<TrialOptions, 'quick' | 'data'>

/** A kind of work, and what to do it with: every case is run in a process of its own. */
export interface Trial {
  readonly title: string
  /** Absent: one. */
  cases?(options: CaseOptions): readonly object[]
  /** What cannot be measured here, and what would have to be there; '' when nothing is missing. */
  leftOut?(options: CaseOptions): string
  /** Rows alone go into a table of the trial's title. */
  run(options: TrialOptions, one: never): Promise<readonly Row[] | Tables>
}

/** The median is judged by the goal. */
export function measure(samples: readonly number[], digits: number, goal?: Goal): Measure {
  return {
    median: median(samples),
    min: Math.min(...samples),
    max: Math.max(...samples),
    samples,
    digits,
    ...(goal && { goal }),
  }
}

/** One figure of all samples. */
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

/** A figure that could not be measured (NaN, which JSON makes null) misses its goal. */
export function isMet({ median }: Measure, { atLeast = -Infinity, atMost = Infinity }: Goal): boolean {
  return Number.isFinite(median) && median >= atLeast && median <= atMost
}
