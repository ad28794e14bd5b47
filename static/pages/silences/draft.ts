import { type Signal, signal } from '@preact/signals'
import type { Shape } from '../../../src/api/fields.ts'
import type { SilencePreview } from '../../../src/api/noise/silence.ts'
import type { SilenceRequest as RequestShape } from '../../../src/api/noise/silence-requests.ts'
import { post } from '../../api/client.ts'
import { messageOf } from '../../api/resource.ts'
import { personName } from '../../app/person.tsx'

type SilenceRequest = Shape<typeof RequestShape>

const TYPING_MS = 300

/** One line of the form; lines with the same field mean any of their values. */
interface Condition {
  readonly field: string
  readonly value: string
}

/** The fields of the form that are one text each. */
export interface Texts {
  readonly name: string
  readonly owner: string
  readonly comment: string
  /** `for`: from now on; `until`: to a moment; `recurring`: a window again and again. */
  readonly kind: 'for' | 'until' | 'recurring'
  /** Such as `2h`: of a silence from now on, and of each window. */
  readonly length: string
  /** Local times as fields give them, without a zone. */
  readonly startsAt: string
  readonly endsAt: string
  readonly cron: string
  readonly timeZone: string
  readonly until: string
}

interface Outcome {
  /** The last preview without an error. */
  readonly preview: SilencePreview | undefined
  /** The error; '' when there is none. */
  readonly message: string
}

/** A silence that is being written; the service previews every change of it. */
export class SilenceDraft {
  readonly conditions: Signal<readonly Condition[]>
  readonly texts: Signal<Texts> = signal<Texts>(FRESH)
  readonly untilResolved: Signal<boolean> = signal(false)
  readonly broad: Signal<boolean> = signal(false)
  readonly outcome: Signal<Outcome> = signal<Outcome>({ preview: undefined, message: '' })
  #timer: ReturnType<typeof setTimeout> | undefined
  #asked = 0

  /** @param given conditions from the address, by field */
  constructor(given: URLSearchParams) {
    const conditions = [...given].map(([field, value]) => ({ field, value })).filter(({ value }) => value !== '')
    this.conditions = signal<readonly Condition[]>(conditions.length === 0 ? [EMPTY] : conditions)
    this.texts.value = { ...FRESH, owner: personName() }
    this.#soon(0)
  }

  setCondition(at: number, change: Partial<Condition>): void {
    this.conditions.value = this.conditions.peek().map((each, nth) => (nth === at ? { ...each, ...change } : each))
    this.#soon(TYPING_MS)
  }

  addCondition(): void {
    this.conditions.value = [...this.conditions.peek(), EMPTY]
  }

  removeCondition(at: number): void {
    const left = this.conditions.peek().filter((_, nth) => nth !== at)
    this.conditions.value = left.length === 0 ? [EMPTY] : left
    this.#soon(0)
  }

  set(change: Partial<Texts>): void {
    this.texts.value = { ...this.texts.peek(), ...change }
    this.#soon(TYPING_MS)
  }

  setUntilResolved(value: boolean): void {
    this.untilResolved.value = value
    this.#soon(0)
  }

  /** Returns the body that makes the silence. */
  request(): SilenceRequest {
    const { name, owner, comment } = this.texts.peek()
    return {
      ...(name.trim() !== '' && { name: name.trim() }),
      match: matchOf(this.conditions.peek()),
      ...timesOf(this.texts.peek()),
      ...(this.untilResolved.peek() && { until_resolved: true }),
      owner: owner.trim(),
      comment: comment.trim(),
      ...(this.broad.peek() && { broad: true }),
    }
  }

  close(): void {
    clearTimeout(this.#timer)
    this.#asked++
  }

  #soon(ms: number): void {
    clearTimeout(this.#timer)
    this.#timer = setTimeout(() => void this.#ask(), ms)
  }

  /** Answers may overtake each other: only the one to the latest request is used. */
  async #ask(): Promise<void> {
    const asked = ++this.#asked
    if (Object.keys(matchOf(this.conditions.peek())).length === 0) {
      this.outcome.value = { preview: undefined, message: '' }
      return
    }
    const { preview } = this.outcome.peek()
    const next = await this.#preview().catch((error) => ({ preview, message: messageOf(error).message }))
    if (asked === this.#asked) this.outcome.value = next
  }

  async #preview(): Promise<Outcome> {
    const request = this.request()
    // The owner and the comment change nothing about what it holds, and may not be written yet.
    const complete = { ...request, owner: request.owner || 'preview', comment: request.comment || 'preview' }
    return { preview: await post<SilencePreview>('/api/admin/silences/preview', complete), message: '' }
  }
}

const EMPTY: Condition = { field: 'service', value: '' }
const FRESH: Texts = {
  name: '',
  owner: '',
  comment: '',
  kind: 'for',
  length: '2h',
  startsAt: '',
  endsAt: '',
  cron: '0 2 * * TUE',
  timeZone: Intl.DateTimeFormat().resolvedOptions().timeZone,
  until: '',
}

function matchOf(conditions: readonly Condition[]): NonNullable<SilenceRequest['match']> {
  const written = conditions
    .map(({ field, value }) => ({ field: field.trim(), value: value.trim() }))
    .filter(({ field, value }) => field !== '' && value !== '')
  const match: Record<string, string | string[]> = {}
  for (const [field, group] of Map.groupBy(written, (each) => each.field)) {
    const values = group.map(({ value }) => value)
    match[field] = values.length === 1 ? (values[0] ?? '') : values
  }
  return match
}

const instant = (local: string) => (Number.isNaN(Date.parse(local)) ? undefined : new Date(local).toISOString())

function timesOf({ kind, length, startsAt, endsAt, cron, timeZone, until }: Texts): Partial<SilenceRequest> {
  switch (kind) {
    case 'for':
      return { for: length }
    case 'until': {
      const [starts_at, ends_at] = [instant(startsAt), instant(endsAt)]
      return { ...(starts_at !== undefined && { starts_at }), ...(ends_at !== undefined && { ends_at }) }
    }
    case 'recurring': {
      const end = instant(until)
      return { schedule: [{ cron, for: length, time_zone: timeZone }], ...(end !== undefined && { until: end }) }
    }
    default:
      return kind satisfies never
  }
}
