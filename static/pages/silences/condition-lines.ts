import { type Signal, signal } from '@preact/signals'
import type { Shape } from '../../../src/api/fields.ts'
import type { SilenceRequest } from '../../../src/api/noise/silence-requests.ts'

/** One line of the form; lines with the same field mean any of their values. */
interface Condition {
  readonly field: string
  readonly value: string
}

const EMPTY: Condition = { field: 'service', value: '' }

/** Conditions that are being written; there is always a line. */
export class ConditionLines {
  readonly all: Signal<readonly Condition[]>
  readonly #changed: (how: 'typed' | 'removed') => void

  constructor(given: readonly Condition[], changed: (how: 'typed' | 'removed') => void) {
    this.all = signal<readonly Condition[]>(given.length === 0 ? [EMPTY] : given)
    this.#changed = changed
  }

  set(at: number, change: Partial<Condition>): void {
    this.all.value = this.all.peek().map((each, nth) => (nth === at ? { ...each, ...change } : each))
    this.#changed('typed')
  }

  add(): void {
    this.all.value = [...this.all.peek(), EMPTY]
  }

  remove(at: number): void {
    const left = this.all.peek().filter((_, nth) => nth !== at)
    this.all.value = left.length === 0 ? [EMPTY] : left
    this.#changed('removed')
  }

  /** Returns those that are written, by field. */
  match(): NonNullable<Shape<typeof SilenceRequest>['match']> {
    const written = this.all
      .peek()
      .map(({ field, value }) => ({ field: field.trim(), value: value.trim() }))
      .filter(({ field, value }) => field !== '' && value !== '')
    const match: Record<string, string | string[]> = {}
    for (const [field, group] of Map.groupBy(written, (each) => each.field)) {
      const values = group.map(({ value }) => value)
      match[field] = values.length === 1 ? (values[0] ?? '') : values
    }
    return match
  }
}
