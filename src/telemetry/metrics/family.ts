import type { ChannelName } from '../../domain/delivery/delivery.ts'
import type { Counter } from '../counters.ts'
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

/** One metric: its name and help text, and how to read its values from a snapshot. An unknown value has no sample. */
export type Family =
  | (Described & { readonly type: 'counter' | 'gauge'; samples(snapshot: Snapshot): readonly Sample[] })
  | (Described & {
      readonly type: 'histogram'
      /** Upper bounds, in the unit of the recorded values. */
      readonly bounds: readonly number[]
      /** Factor from the unit of the recorded values to that of the metric. */
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

/** A histogram in seconds of values recorded in milliseconds. */
export const seconds = (
  name: string,
  help: string,
  bounds: readonly number[],
  distributions: (snapshot: Snapshot) => readonly Distribution[],
): Family => ({ type: 'histogram', name, help, bounds, distributions, scale: 1 / SECOND_MS })

/** One sample without labels; no sample when the value is undefined. */
export const one = (value: number | undefined): readonly Sample[] => (value === undefined ? [] : [{ value }])

/** One sample for each entry, with its key as the label. */
export const each = (label: string, entries: Iterable<readonly [key: string, value: number]>): readonly Sample[] =>
  Array.from(entries, ([key, value]) => ({ labels: { [label]: key }, value }))

/** One sample for each counter, with its key as the label, behind `labels`. */
export const values = (
  label: string,
  counters: { readonly [key: string]: Pick<Counter, 'value'> },
  labels: Labels = {},
): readonly Sample[] =>
  Object.entries(counters).map(([key, { value }]) => ({ labels: { ...labels, [label]: key }, value }))

/** One sample for each enabled channel; none where the value is undefined. */
export const byChannel =
  (of: (snapshot: Snapshot, channel: ChannelName) => number | undefined): Samples =>
  (snapshot) =>
    snapshot.channels.flatMap((channel) =>
      one(of(snapshot, channel)).map((sample) => ({ ...sample, labels: { channel } })),
    )
