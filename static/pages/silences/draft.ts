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
  /**
   * `for`: from now on; `resolved`: until its problems are; `until`: to a moment; `recurring`: a window again and again;
   * `while`: as long as a problem fires.
   */
  readonly kind: 'for' | 'resolved' | 'until' | 'recurring' | 'while'
  /** Such as `2h`: of a silence from now on, and of each window. */
  readonly length: string
  /** Of one until resolved: without a problem that fires, and in all. */
  readonly quietFor: string
  readonly max: string
  /** Local times as fields give them, without a zone. */
  readonly startsAt: string
  readonly endsAt: string
  readonly cron: string
  readonly timeZone: string
  readonly until: string
}

/** A silence that is being written; the service previews every change of it. */
export class SilenceDraft {
  /** Number of the one problem that it is about; undefined: conditions decide. */
  readonly problem: number | undefined
  readonly conditions: ConditionLines
  /** Of the problems that keep it in force; for the kind `while`. */
  readonly causes: ConditionLines
  readonly texts: Signal<Texts> = signal<Texts>(FRESH)
  readonly broad: Signal<boolean> = signal(false)
  readonly question: Question<SilencePreview> = new Question(() => this.#preview())

  /** @param given from the address: conditions by field, or a `problem`; `until=resolved` */
  constructor(given: URLSearchParams) {
    const [problem, until] = [given.get('problem'), given.get('until')]
    this.problem = problem === null ? undefined : Number(problem)
    const fields = [...given].filter(([name]) => name !== 'problem' && name !== 'until')
    const conditions = fields.map(([field, value]) => ({ field, value })).filter(({ value }) => value !== '')
    const changed = (how: 'typed' | 'removed') => this.question.soon(how === 'typed' ? TYPING_MS : 0)
    this.conditions = new ConditionLines(conditions, changed)
    this.causes = new ConditionLines([], changed)
    this.texts.value = { ...FRESH, owner: personName(), ...(until === 'resolved' && { kind: until }) }
    this.question.soon(0)
  }

  set(change: Partial<Texts>): void {
    this.texts.value = { ...this.texts.peek(), ...change }
    this.question.soon(TYPING_MS)
  }

  /** Returns the body that makes the silence. */
  request(): SilenceRequest {
    const { name, owner, comment } = this.texts.peek()
    return {
      ...(name.trim() !== '' && { name: name.trim() }),
      ...(this.problem === undefined ? { match: this.conditions.match() } : { problem: this.problem }),
      ...this.#times(),
      owner: owner.trim(),
      comment: comment.trim(),
      ...(this.broad.peek() && { broad: true }),
    }
  }

  #times(): Partial<SilenceRequest> {
    const { kind, length, quietFor, max, startsAt, endsAt, cron, timeZone, until } = this.texts.peek()
    const end = instant(until)
    const untilThen = end === undefined ? undefined : { until: end }
    switch (kind) {
      case 'for':
        return { for: length }
      case 'resolved':
        return { until: 'resolved', quiet_for: quietFor, max }
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
    const own = this.problem === undefined ? [this.conditions] : []
    const lists = this.texts.peek().kind === 'while' ? [...own, this.causes] : own
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
  quietFor: '10m',
  max: '24h',
  startsAt: '',
  endsAt: '',
  cron: '0 2 * * TUE',
  timeZone: Intl.DateTimeFormat().resolvedOptions().timeZone,
  until: '',
}

const instant = (local: string) => (Number.isNaN(Date.parse(local)) ? undefined : new Date(local).toISOString())
