import type { Buckets } from '../histogram.ts'
import type { Snapshot } from '../snapshot.ts'

interface Labels {
  readonly [name: string]: string
}

interface Sample {
  readonly labels?: Labels
  readonly value: number
}

export interface Distribution {
  readonly labels?: Labels
  readonly of: Buckets
}

interface Described {
  readonly name: string
  readonly help: string
}

/** One metric: its name, and where its values are in an observation. What cannot be said now has no sample. */
export type Family =
  | (Described & { readonly type: 'counter' | 'gauge'; samples(snapshot: Snapshot): readonly Sample[] })
  | (Described & {
      readonly type: 'histogram'
      /** Upper bounds, in the unit of what was recorded. */
      readonly bounds: readonly number[]
      /** What a recorded value is multiplied with. */
      readonly scale: number
      distributions(snapshot: Snapshot): readonly Distribution[]
    })

type Samples = (snapshot: Snapshot) => readonly Sample[]

export const counter = (name: string, help: string, samples: Samples): Family => ({
  type: 'counter',
  name,
  help,
  samples,
})
export const gauge = (name: string, help: string, samples: Samples): Family => ({
  type: 'gauge',
  name,
  help,
  samples,
})

const SECOND_MS = 1_000

/** A histogram of milliseconds, told in seconds. */
export const seconds = (
  name: string,
  help: string,
  bounds: readonly number[],
  distributions: (snapshot: Snapshot) => readonly Distribution[],
): Family => ({ type: 'histogram', name, help, bounds, distributions, scale: 1 / SECOND_MS })

/** One value without labels; none when it is undefined. */
export const one = (value: number | undefined): readonly Sample[] => (value === undefined ? [] : [{ value }])

/** A sample for each entry, labelled with its key. */
export const each = (label: string, entries: Iterable<readonly [key: string, value: number]>): readonly Sample[] =>
  Array.from(entries, ([key, value]) => ({ labels: { [label]: key }, value }))
