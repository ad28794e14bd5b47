import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import type { ChannelName } from '../../../src/domain/delivery.ts'
import type { Draft } from '../../../src/domain/incident.ts'
import { folder } from '../../harness/config-file.ts'
import { ManualClock } from '../../harness/manual-clock.ts'
import { randomFrom } from '../../harness/random.ts'
import { draft, START } from '../../store/support.ts'
import { ProviderByHand } from '../provider-by-hand.ts'
import { ServiceByHand } from '../service-by-hand.ts'

const HOUR = 3_600_000
const REPEATS = { mode: 'fold', remindMs: 4 * HOUR } as const
/** One incident every ten seconds for an hour. */
const COUNT = 360
const EVERY_SECONDS = 10
const KILLS = 12

/** A service with one channel that a problem is reported to again and again. */
class Rig {
  readonly clock = new ManualClock(START)
  readonly provider: ProviderByHand
  service: ServiceByHand
  readonly #dir = folder()
  readonly #channel: ChannelName
  #lives = 0

  constructor(t: TestContext, channel: ChannelName) {
    this.#channel = channel
    this.provider = new ProviderByHand({ clock: this.clock, limit: undefined, edits: channel === 'chatws' })
    this.service = this.#start()
    t.after(() => this.service.end())
  }

  report(changes: Partial<Draft> = {}): Promise<void> {
    const problem = {
      fingerprint: 'disk',
      sender: 'error_tracker',
      severity: 'warning',
      content: Buffer.from('{}'),
    } as const
    return this.service.work([draft({ ...problem, createdAt: this.clock.now(), ...changes })])
  }

  async run(seconds: number): Promise<void> {
    const endMs = this.clock.elapsed() + seconds * 1_000
    while (this.clock.elapsed() < endMs) {
      const timerMs = this.clock.elapsed() + (this.clock.dueInMs[0] ?? Infinity)
      this.clock.advance(Math.min(endMs, timerMs, this.service.nextMs()) - this.clock.elapsed())
      await this.service.work()
    }
  }

  kill(): void {
    this.#lives++
    this.service.end()
    this.service = this.#start()
  }

  #start(): ServiceByHand {
    const life = this.#lives
    const channel = this.provider.channel(() => this.#lives !== life)
    const channels = [{ name: this.#channel, channel }]
    return new ServiceByHand({ dir: this.#dir, clock: this.clock, channels, storms: 'on', repeats: REPEATS })
  }
}

for (const channel of ['chatws', 'email'] as const)
  for (const kills of [0, KILLS])
    test(`an hour of one problem at ${channel}, killed ${kills} times: few messages, and every number is true`, async (t) => {
      const rig = new Rig(t, channel)
      const random = randomFrom(kills + 1)
      const killAt = new Set(Array.from({ length: kills }, () => Math.floor(random() * COUNT)))
      for (let n = 0; n < COUNT; n++) {
        await rig.report()
        // In the middle of what the provider is sent.
        if (killAt.has(n)) rig.kill()
        await rig.run(EVERY_SECONDS)
      }
      const before = [...rig.provider.taken]
      const edits = before.filter(({ way }) => way === 'edit')
      if (channel === 'chatws') assert(edits.length >= 20 && edits.length <= 60, `${edits.length} edits`)
      else assert.equal(edits.length, 0)
      const numbers = edits.map(({ text }) => Number(/×([\d,]+) since/.exec(text)?.[1]?.replace(',', '')))
      assert.deepEqual(
        numbers,
        numbers.toSorted((a, b) => a - b),
      )
      assert(numbers.every((number) => number > 1 && number <= COUNT))
      const posts = before.length - edits.length
      assert(posts >= 1 && posts <= 1 + killAt.size, `${posts} posts`)

      await rig.report({ status: 'resolved' })
      await rig.run(30)
      const last = rig.provider.taken.at(-1)
      assert.equal(last?.way, 'post')
      assert.match(last?.text ?? '', /🔁 ×360, fired for 60 min/)
      assert.deepEqual(rig.service.states(channel), { sent: COUNT + 1 })
      const told = rig.provider.taken.length
      await rig.run(5 * 3_600)
      assert.equal(rig.provider.taken.length, told, 'nothing comes after the end')
      t.diagnostic(`${posts} posts, ${edits.length} edits`)
    })

test('a problem that goes on for a day at a channel without edits is told every four hours', async (t) => {
  const rig = new Rig(t, 'email')
  for (let minutes = 0; minutes < 24 * 60; minutes += 10) {
    await rig.report()
    await rig.run(600)
  }
  assert.equal(rig.provider.posts, 6)
  assert.match(rig.provider.taken.at(-1)?.text ?? '', /🔁 ×121 since 00:00 UTC, last 20:00 UTC/)
})
