import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { ON_FILES } from '../../database.ts'
import { HOUR, MINUTE, SilenceRig, silenceOf } from './rig.ts'
import { Model } from './until-resolved-model.ts'

const SECOND = 1_000
const NAMES = ['a', 'b', 'c'] as const

const heard = fc.record({
  kind: fc.constant('heard' as const),
  name: fc.constantFrom(...NAMES),
  fires: fc.boolean(),
  fits: fc.integer({ min: 0, max: 3 }).map((n) => n > 0),
})
const flap = fc.record({ kind: fc.constant('flap' as const), name: fc.constantFrom(...NAMES), times: fc.nat(6) })
const wait = fc.record({
  kind: fc.constant('wait' as const),
  ms: fc.integer({ min: 1, max: 2_400 }).map((n) => n * SECOND),
})
const step = fc.oneof(
  { weight: 4, arbitrary: heard },
  { weight: 2, arbitrary: flap },
  { weight: 4, arbitrary: wait },
  fc.record({ kind: fc.constant('person' as const), name: fc.constantFrom(...NAMES) }),
  fc.record({ kind: fc.constant('jump' as const), ms: fc.integer({ min: -180, max: 180 }).map((n) => n * MINUTE) }),
  fc.constant({ kind: 'restart' as const }),
  fc.constant({ kind: 'retention' as const }),
  fc.constant({ kind: 'failure' as const }),
)
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never

test('a silence until resolved ends at the moment of its definition, to the second', (t) => {
  fc.assert(
    fc.property(
      // A silence by conditions cannot know whether an incident fitted that was deleted before it began.
      fc.array(
        step.filter(({ kind }) => kind !== 'retention'),
        { maxLength: 8 },
      ),
      fc.array(step, { minLength: 4, maxLength: 30 }),
      fc.constantFrom(1, 10, 45),
      fc.constantFrom(1, 3, 24),
      (before, after, quiet, max) => {
        const world = new World(new SilenceRig(t, [], { maxIncidents: 4 }))
        for (const one of before) world.step(one)
        world.begin(quiet * MINUTE, max * HOUR)
        for (const one of after) if (!world.ended) world.step(one)
        world.toTheEnd()
        world.rig.store.close()
      },
    ),
    { numRuns: 'skip' in ON_FILES ? 3 : 10 },
  )
})

/** A store and the model, which hear the same. */
class World {
  readonly model: Model
  readonly rig: SilenceRig
  ended = false
  #begunAt = Infinity

  constructor(rig: SilenceRig) {
    this.rig = rig
    this.model = new Model(rig.now)
  }

  begin(quietMs: number, maxMs: number): void {
    this.#begunAt = this.rig.now
    const times = { startsAt: this.rig.now, endsAt: this.rig.now + maxMs }
    this.rig.store.silences.add(silenceOf({ ...times, untilResolved: true, quietMs }), true)
    this.model.begin(quietMs, times.endsAt)
    this.#compare()
  }

  step(one: Step): void {
    const { rig, model } = this
    switch (one.kind) {
      case 'heard':
        this.#heard(one.name, one.fires, one.fits)
        break
      case 'flap':
        for (let n = 0; n < one.times; n++) this.#heard(one.name, n % 2 === 0, true)
        break
      case 'wait':
        this.#goTo(model.moment + one.ms)
        break
      case 'person': {
        const known = rig.store.problems.named({ fingerprint: one.name })
        if (known !== undefined) rig.store.problems.resolve(known.id, 'Ada')
        model.resolvedByPerson(one.name)
        break
      }
      case 'jump': {
        if (rig.now + one.ms < this.#begunAt - 23 * HOUR) break
        rig.now += one.ms
        model.offset += one.ms
        rig.turn({ clockJumpMs: one.ms })
        break
      }
      case 'restart':
        rig.reopen()
        break
      case 'retention':
        for (let n = 0; n < 6; n++) rig.resolved('other', { service: 'web' })
        rig.deliver()
        rig.store.maintenance.prune(100)
        break
      case 'failure':
        rig.failingAtCommit(() => assert.throws(() => rig.incident('a')))
        break
    }
    this.#compare()
  }

  /** Nothing happens any more. */
  toTheEnd(): void {
    for (let n = 0; n < 20 && !this.ended; n++) this.#goTo(Math.min(this.model.endsAt, this.model.nextQuiet))
    assert.ok(this.ended, 'it never ends')
  }

  #heard(name: string, fires: boolean, fits: boolean): void {
    const service = fits ? 'db' : 'web'
    if (fires) this.rig.incident(name, { service })
    else this.rig.resolved(name, { service })
    this.model.heard(name, fires, fits)
  }

  /** Looks at each moment at which something is due, and a second before. */
  #goTo(moment: number): void {
    const { model } = this
    while (model.moment < moment) {
      const due = [model.nextQuiet, model.endsAt, model.endsAt - SECOND, moment].filter((at) => at > model.moment)
      model.goTo(Math.min(...due))
      this.rig.now = model.wall
      this.rig.turn({})
      this.#compare()
      if (this.ended) return
    }
  }

  #compare(): void {
    const { model, rig } = this
    if (this.ended || this.#begunAt === Infinity) return
    rig.turn({})
    const [silence] = rig.store.silences.list({ limit: 1 }).silences
    this.ended = model.moment >= model.endsAt
    assert.equal(silence?.state, this.ended ? 'ended' : 'active')
    if (this.ended) assert.equal(silence?.ended_at, new Date(rig.now).toISOString())
  }
}
