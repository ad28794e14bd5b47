import assert from 'node:assert/strict'
import test from 'node:test'
import fc from 'fast-check'
import { AlertRig, MINUTE, SECOND } from './alert-rig.ts'

const SENDERS = ['10.0.0.1', '10.0.0.2', '10.0.0.3']
const NAMES = ['Disk', 'Down']

const step = fc.oneof(
  {
    weight: 10,
    arbitrary: fc.record({
      kind: fc.constant('post' as const),
      sender: fc.constantFrom(...SENDERS),
      name: fc.constantFrom(...NAMES),
      /** 0: resolved; undefined: no end. */
      forMs: fc.constantFrom(undefined, 0, MINUTE, 4 * MINUTE),
      isRefused: fc.integer({ min: 0, max: 4 }).map((n) => n === 0),
    }),
  },
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constant('pass' as const),
      ms: fc.constantFrom(7 * SECOND, 31 * SECOND, 61 * SECOND, 5 * MINUTE, 21 * MINUTE),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('crash' as const), ms: fc.constantFrom(0, 90 * MINUTE) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('person' as const), name: fc.constantFrom(...NAMES) }) },
)
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never

/** What the senders of one alert say, without any bound: until when each claims that it fires. */
class Twin {
  readonly claims = new Map<string, { until: number; isGuessed: boolean }>()
  fires = false
  isMuted = false
  /** It fires since before a start, and no sender said so again. */
  isUnconfirmed = false

  claim(sender: string, elapsed: number, forMs: number | undefined, guessMs: number): void {
    const until = elapsed + (forMs ?? guessMs)
    const own = this.claims.get(sender)
    if (own !== undefined && own.until > until && !own.isGuessed) return
    this.claims.set(sender, { until, isGuessed: forMs === undefined })
    this.isUnconfirmed = false
  }

  holds(elapsed: number): boolean {
    return [...this.claims.values()].some(({ until }) => until > elapsed)
  }
}

/** Checks each incident as it comes, and that what fires is what fires for the twin. */
class Checker {
  readonly rig = new AlertRig()
  readonly twins = new Map(NAMES.map((name) => [name, new Twin()]))
  #seen = 0

  #twin(name: string): Twin {
    return this.twins.get(name) ?? assert.fail(name)
  }

  async take(each: Step): Promise<void> {
    const { rig } = this
    if (each.kind === 'post') return this.#post(each)
    if (each.kind === 'pass') {
      for (let left = each.ms; left > 0; left -= SECOND) {
        await rig.pass(SECOND)
        this.#follow('timeout')
      }
    } else if (each.kind === 'crash') {
      await rig.crash(each.ms)
      for (const twin of this.twins.values()) {
        twin.claims.clear()
        twin.isUnconfirmed = twin.fires
      }
    } else if (rig.fires.includes(each.name)) {
      rig.personResolves({ alertname: each.name })
      this.#twin(each.name).isMuted = true
    }
  }

  async #post({ sender, name, forMs, isRefused }: Step & { kind: 'post' }): Promise<void> {
    const { rig } = this
    const twin = this.#twin(name)
    const elapsed = rig.clock.elapsed()
    const wasFiring = twin.fires
    const hadOwn = (twin.claims.get(sender)?.until ?? -Infinity) > elapsed - 20 * MINUTE
    rig.refuses = isRefused
    const taken = await rig.post(sender, { labels: { alertname: name }, forMs }).then(
      () => true,
      () => false,
    )
    rig.refuses = false
    // What is refused is no claim: its sender has to say it again.
    if (forMs !== 0 && taken) twin.claim(sender, elapsed, forMs, rig.limits.resolveTimeoutMs)
    else if (forMs !== 0) return this.#follow('request')
    else if (wasFiring && (hadOwn || twin.isUnconfirmed)) twin.claims.set(sender, { until: elapsed, isGuessed: false })
    else if (wasFiring) for (const claim of twin.claims.values()) claim.until = elapsed
    this.#follow('request')
    if (taken && forMs !== 0) assert.ok(twin.fires, `${name} was accepted as firing`)
    if (taken && forMs !== 0) assert.ok(rig.fires.includes(name))
  }

  #follow(from: string): void {
    const { rig } = this
    for (const { status, labels } of rig.incidents.slice(this.#seen)) {
      const twin = this.#twin(labels.alertname ?? '')
      const elapsed = rig.clock.elapsed()
      if (status === 'firing') assert.ok(!twin.fires || twin.isMuted, `${labels.alertname} fires twice`)
      else {
        assert.ok(twin.fires, `${labels.alertname} is resolved twice`)
        assert.ok(!twin.holds(elapsed), `${labels.alertname} is resolved by ${from} while a claim holds`)
      }
      twin.fires = status === 'firing'
      twin.isMuted = false
    }
    this.#seen = rig.incidents.length
    assert.deepEqual(
      rig.fires,
      NAMES.filter((name) => this.#twin(name).fires),
    )
  }

  /** Without any report all alerts end. */
  async end(): Promise<void> {
    await this.take({ kind: 'pass', ms: 21 * MINUTE })
    assert.deepEqual(this.rig.fires, [])
  }
}

test('in any order of events incidents alternate, and none is resolved while a sender claims that it fires', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 40 }), async (steps) => {
      const checker = new Checker()
      for (const each of steps) await checker.take(each)
      await checker.end()
      checker.rig.alerts.close()
    }),
    { numRuns: Number(process.env.MODEL_RUNS ?? 8) },
  )
})
