import assert from 'node:assert/strict'
import fc from 'fast-check'
import type { Escalation } from '../../../src/policy/oncall/escalation.ts'
import { beginRun, nextStep } from '../../../src/policy/oncall/run.ts'
import type { Find, Run, RunEffect, RunEvent } from '../../../src/policy/oncall/run-state.ts'
import { MINUTE_MS, step } from './run-setup.ts'

const PEOPLE = ['ada', 'ben', 'cleo'] as const

const someStep = fc
  .tuple(
    fc.integer({ min: 1, max: 12 }),
    fc.subarray(['schedule:ada', 'schedule:ben', 'person:cleo', 'channel:chatws', 'provider'], { minLength: 1 }),
    fc.option(fc.integer({ min: 0, max: 3 }), { nil: undefined }),
  )
  .map(([after, notify, minRank]) => step(after, notify.join(' '), minRank))

const somePlan = fc
  .record({
    steps: fc.array(someStep, { minLength: 1, maxLength: 4 }),
    repeat: fc.integer({ min: 0, max: 2 }),
    repeatAfter: fc.integer({ min: 0, max: 20 }),
    ackFor: fc.option(fc.integer({ min: 5, max: 60 }), { nil: undefined }),
  })
  .map(
    ({ steps, repeat, repeatAfter, ackFor }): Escalation => ({
      ...{ name: 'office', steps, repeat, repeatAfterMs: repeatAfter * MINUTE_MS },
      ...(ackFor !== undefined && { ackForMs: ackFor * MINUTE_MS }),
    }),
  )

type Happening =
  | RunEvent
  /** Time passes, and what is due is done. */
  | { readonly kind: 'time'; readonly minutes: number }
  /** The clock is set: due times move with it. */
  | { readonly kind: 'clock'; readonly minutes: number }
  /** The service was down. */
  | { readonly kind: 'late'; readonly minutes: number }
  /** The configuration changes: who is there, from when on, and whose hours are quiet until when. */
  | { readonly kind: 'people'; readonly there: readonly (number | undefined)[]; readonly quiet: readonly number[] }
  | { readonly kind: 'silence' | 'silence over' }

const minutes = fc.integer({ min: 0, max: 40 })
const by = fc.constantFrom(...PEOPLE, 'Zoe')
const is = <K extends string>(kind: K) => fc.constant(kind)
const someHappening: fc.Arbitrary<Happening> = fc.oneof(
  { weight: 6, arbitrary: fc.record({ kind: is('time'), minutes }) },
  { weight: 1, arbitrary: fc.record({ kind: is('clock'), minutes: fc.integer({ min: -200, max: 200 }) }) },
  { weight: 1, arbitrary: fc.record({ kind: is('late'), minutes: fc.integer({ min: 0, max: 300 }) }) },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: is('people'),
      there: fc.tuple(...PEOPLE.map(() => fc.option(fc.constantFrom(0, 0, 30, 200), { nil: undefined }))),
      quiet: fc.tuple(...PEOPLE.map(() => fc.constantFrom(0, 0, 25, 60))),
    }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constantFrom('silence', 'silence over') }) },
  { weight: 1, arbitrary: fc.record({ kind: is('louder'), level: fc.integer({ min: 0, max: 4 }) }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constantFrom('acknowledged', 'declined', 'escalate'), by }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constantFrom('step failed', 'due') }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constantFrom('resolved', 'switched off') }) },
)

/** Events after which the next step need not wait. */
const HURRIES: ReadonlySet<string> = new Set(['step failed', 'louder', 'declined', 'escalate', 'acknowledged'])
const STEPS: ReadonlySet<string> = new Set(['ask', 'no person', 'floor'])
const LIMIT = 600

/** A run and its store, with what must hold. Times of the model do not jump; the clock of the run does. */
class Model {
  readonly #plan: Escalation
  #run: Run
  #time = 0
  #jumped = 0
  #isSilenced = false
  #find: Find = (target) => ({ people: 'name' in target ? [target.name] : [], because: '' })
  /** Since which no step with a person may run before; none after a hurry. */
  #notBefore = -Infinity
  /** An acknowledgement holds until then. */
  #taken: { readonly by: string; readonly until: number } | undefined
  #isExhausted = false

  constructor(plan: Escalation) {
    this.#plan = plan
    this.#run = beginRun({ plan, level: 2, now: 0 })
  }

  happens(happening: Happening): void {
    switch (happening.kind) {
      case 'time':
        return this.#passes(happening.minutes * MINUTE_MS)
      case 'late':
        this.#time += happening.minutes * MINUTE_MS
        return
      case 'clock': {
        const by = happening.minutes * MINUTE_MS
        this.#jumped += by
        const { dueAt } = this.#run
        if (dueAt !== undefined) this.#run = { ...this.#run, dueAt: dueAt + by }
        return
      }
      case 'people':
        return this.#changes(happening.there, happening.quiet)
      case 'silence':
      case 'silence over':
        this.#isSilenced = happening.kind === 'silence'
        // At each edge of a silence held runs are looked at.
        if (this.#run.phase === 'held') this.#run = { ...this.#run, dueAt: this.#now }
        return
      case 'due':
        return this.#turn()
      default:
        return this.#next(happening)
    }
  }

  /** Nothing happens any more: whatever is due is done. */
  end(): void {
    this.happens({ kind: 'silence over' })
    for (let turns = 0; this.#run.dueAt !== undefined; turns++) {
      assert.ok(turns < LIMIT, 'it ends')
      this.#passes(Math.max(0, this.#run.dueAt - this.#now))
    }
    const { phase, ack } = this.#run
    assert.ok(phase === 'exhausted' || phase === 'ended' || (phase === 'acknowledged' && ack !== undefined), phase)
  }

  get #now(): number {
    return this.#time + this.#jumped
  }

  #passes(ms: number): void {
    const end = this.#time + ms
    for (let turns = 0; ; turns++) {
      assert.ok(turns < LIMIT, 'turns end')
      const dueIn = (this.#run.dueAt ?? Infinity) - this.#now
      if (this.#time + dueIn > end) break
      this.#time += Math.max(0, dueIn)
      this.#turn()
    }
    this.#time = end
  }

  #turn(): void {
    const isDue = this.#run.dueAt !== undefined && this.#run.dueAt <= this.#now
    if (isDue) this.#next(this.#isSilenced ? { kind: 'silenced' } : { kind: 'due' })
  }

  #changes(there: readonly (number | undefined)[], quiet: readonly number[]): void {
    const begin = this.#now
    this.#find = (target, now, level) => {
      const nth = PEOPLE.findIndex((name) => 'name' in target && target.name === name)
      if (nth === -1 || target.kind === 'channel' || target.kind === 'provider') return { people: [], because: '' }
      const after = there[nth]
      const from = begin + (after ?? Infinity) * MINUTE_MS
      const until = begin + (quiet[nth] ?? 0) * MINUTE_MS
      if (after !== 0 && now < from) return { people: [], because: 'gap', ...(after !== undefined && { next: from }) }
      return { people: [target.name], because: '', ...(now < until && level > 1 && { quietUntil: until }) }
    }
  }

  #next(event: RunEvent): void {
    const before = this.#run
    const { run, effects } = nextStep({ plan: this.#plan, run: before, event, now: this.#now, find: this.#find })
    assert.ok(effects.filter(({ kind }) => STEPS.has(kind)).length <= 1, 'one step a turn')
    if (before.phase === 'ended') assert.deepEqual([run, effects], [before, []], 'the end is for good')
    this.#run = run
    if (HURRIES.has(event.kind)) this.#notBefore = -Infinity
    if (this.#isOver(event)) this.#taken = undefined
    for (const effect of effects) this.#does(effect)
    if (event.kind === 'acknowledged' && before.phase !== 'ended') this.#takes(event.by)
    this.#states()
  }

  #takes(by: string): void {
    assert.equal(this.#run.phase, 'acknowledged')
    this.#taken = { by, until: this.#time + (this.#plan.ackForMs ?? Infinity) }
  }

  #isOver(event: RunEvent): boolean {
    if (event.kind === 'louder' || event.kind === 'escalate') return true
    return event.kind === 'declined' && event.by === this.#taken?.by
  }

  #does(effect: RunEffect): void {
    if (effect.kind === 'exhausted') {
      assert.equal(this.#isExhausted, false, 'all rounds are over once')
      this.#isExhausted = this.#run.dueAt === undefined
    }
    if (effect.kind !== 'ask' && effect.kind !== 'no person') return
    assert.ok(this.#taken === undefined || this.#time >= this.#taken.until, 'nobody is asked while a person has it')
    this.#taken = undefined
    if (effect.kind === 'no person') return
    assert.ok(effect.lateMs >= 0)
    assert.ok(this.#time >= this.#notBefore, 'each person has the full time')
    const isAwake = effect.asked.some(({ target, people }) => people.length > 0 || target.kind === 'provider')
    if (isAwake) this.#notBefore = this.#time + this.#leastWait(effect.step)
  }

  /** What a person who is asked has: until the next step, or until the next round; and after the other steps, which were passed. */
  #leastWait(asked: number): number {
    const { steps, repeatAfterMs } = this.#plan
    const isNext = this.#run.step === (asked + 1) % steps.length
    const wait = steps[this.#run.step || steps.length]?.afterMs ?? repeatAfterMs
    if (asked === -1) return Math.max(5 * MINUTE_MS, steps[1]?.afterMs ?? repeatAfterMs)
    return isNext ? (steps[asked + 1]?.afterMs ?? repeatAfterMs) : wait
  }

  #states(): void {
    const { phase, dueAt, waitMs, ack, heldFrom } = this.#run
    const waits = dueAt !== undefined
    if (waits) assert.ok(dueAt - this.#now <= waitMs, 'no wait is longer than the full one')
    assert.equal(heldFrom !== undefined, phase === 'held')
    if (phase === 'waiting' || phase === 'asking') assert.ok(waits, `${phase} has a due time`)
    if (phase === 'ended') assert.ok(!waits, 'the end has none')
    if (phase === 'held' && this.#isSilenced) assert.ok(!waits || dueAt <= this.#now, 'a silence ends at its edge')
    if (phase === 'acknowledged') assert.deepEqual([waits, ack?.again], [this.#plan.ackForMs !== undefined, undefined])
    if (phase !== 'exhausted') this.#isExhausted = false
    else if (!waits) assert.ok(this.#isExhausted, 'it was said that nobody was woken')
  }
}

/** Random histories of a run. */
export function histories(numRuns: number): void {
  const property = fc.property(somePlan, fc.array(someHappening, { maxLength: 40 }), (plan, history) => {
    const model = new Model(plan)
    for (const happening of history) model.happens(happening)
    model.end()
  })
  fc.assert(property, { numRuns })
}
