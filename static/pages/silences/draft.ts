import { type Signal, signal } from '@preact/signals'
import type { Shape } from '../../../src/api/fields.ts'
import type { SilencePreview } from '../../../src/api/noise/silence.ts'
import type { SilenceRequest as RequestShape } from '../../../src/api/noise/silence-requests.ts'
import { post } from '../../api/client.ts'
import { Question } from '../../api/question.ts'
import { personName } from '../../app/person.tsx'
import { ConditionLines } from './condition-lines.ts'

type SilenceRequest = Shape<typeof RequestShape>

const TYPING_MS = 300

/** The fields of the form that are one text each. */
export interface Texts {
  readonly name: string
  readonly owner: string
  readonly comment: string
  /** `for`: from now on; `until`: to a moment; `recurring`: a window again and again; `while`: as long as a problem fires. */
  readonly kind: 'for' | 'until' | 'recurring' | 'while'
  /** Such as `2h`: of a silence from now on, and of each window. */
  readonly length: string
  /** Local times as fields give them, without a zone. */
  readonly startsAt: string
  readonly endsAt: string
  readonly cron: string
  readonly timeZone: string
  readonly until: string
}

/** A silence that is being written; the service previews every change of it. */
export class SilenceDraft {
  readonly conditions: ConditionLines
  /** Of the problems that keep it in force; for the kind `while`. */
  readonly causes: ConditionLines
  readonly texts: Signal<Texts> = signal<Texts>(FRESH)
  readonly untilResolved: Signal<boolean> = signal(false)
  readonly broad: Signal<boolean> = signal(false)
  readonly question: Question<SilencePreview> = new Question(() => this.#preview())

  /** @param given conditions from the address, by field */
  constructor(given: URLSearchParams) {
    const conditions = [...given].map(([field, value]) => ({ field, value })).filter(({ value }) => value !== '')
    const changed = (how: 'typed' | 'removed') => this.question.soon(how === 'typed' ? TYPING_MS : 0)
    this.conditions = new ConditionLines(conditions, changed)
    this.causes = new ConditionLines([], changed)
    this.texts.value = { ...FRESH, owner: personName() }
    this.question.soon(0)
  }

  set(change: Partial<Texts>): void {
    this.texts.value = { ...this.texts.peek(), ...change }
    this.question.soon(TYPING_MS)
  }

  setUntilResolved(value: boolean): void {
    this.untilResolved.value = value
    this.question.soon(0)
  }

  /** Returns the body that makes the silence. */
  request(): SilenceRequest {
    const { name, owner, comment } = this.texts.peek()
    return {
      ...(name.trim() !== '' && { name: name.trim() }),
      match: this.conditions.match(),
      ...this.#times(),
      ...(this.untilResolved.peek() && isOnce(this.texts.peek()) && { until_resolved: true }),
      owner: owner.trim(),
      comment: comment.trim(),
      ...(this.broad.peek() && { broad: true }),
    }
  }

  #times(): Partial<SilenceRequest> {
    const { kind, length, startsAt, endsAt, cron, timeZone, until } = this.texts.peek()
    const end = instant(until)
    const untilThen = end === undefined ? undefined : { until: end }
    switch (kind) {
      case 'for':
        return { for: length }
      case 'until': {
        const [starts_at, ends_at] = [instant(startsAt), instant(endsAt)]
        return { ...(starts_at !== undefined && { starts_at }), ...(ends_at !== undefined && { ends_at }) }
      }
      case 'recurring':
        return { schedule: [{ cron, for: length, time_zone: timeZone }], ...untilThen }
      case 'while':
        return { while: { match: this.causes.match() }, ...untilThen }
      default:
        return kind satisfies never
    }
  }

  async #preview(): Promise<SilencePreview | undefined> {
    const lists = this.texts.peek().kind === 'while' ? [this.conditions, this.causes] : [this.conditions]
    if (lists.some((list) => Object.keys(list.match()).length === 0)) return undefined
    const request = this.request()
    // The owner and the comment change nothing about what it holds, and may not be written yet.
    const complete = { ...request, owner: request.owner || 'preview', comment: request.comment || 'preview' }
    return post<SilencePreview>('/api/admin/silences/preview', complete)
  }
}

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

const instant = (local: string) => (Number.isNaN(Date.parse(local)) ? undefined : new Date(local).toISOString())

/** It has one window, from a time to a time. */
export const isOnce = ({ kind }: Pick<Texts, 'kind'>) => kind === 'for' || kind === 'until'
