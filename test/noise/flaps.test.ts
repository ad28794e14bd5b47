import assert from 'node:assert/strict'
import { test } from 'node:test'
import { folder } from '../harness/config-file.ts'
import { ManualClock } from '../harness/manual-clock.ts'
import { draft, START } from '../store/support.ts'
import { ProviderByHand } from './provider-by-hand.ts'
import { ServiceByHand } from './service-by-hand.ts'

const PROBLEMS = 100
const RATE = { perSecond: 1, burst: 4 }
/** Changes of state after which a problem flaps with the next one. */
const CHANGES = 5

test('a hundred problems that begin to flap within a second are told within ten, at one message a second', async (t) => {
  const clock = new ManualClock(START)
  const provider = new ProviderByHand({ clock, limit: undefined, edits: true })
  const channel = provider.channel(() => false)
  const service = new ServiceByHand({
    ...{ dir: folder(), clock, channels: [{ name: 'chatws', channel, rate: RATE }], storms: 'on' },
    flapping: { enable: true },
  })
  t.after(() => service.end())

  /** Lets each problem change its state once, evenly within so many seconds. */
  async function change(nth: number, seconds: number): Promise<void> {
    for (let problem = 0; problem < PROBLEMS; problem++) {
      const status = nth % 2 === 0 ? 'firing' : 'resolved'
      const content = Buffer.from(`${problem} ${status}`)
      const about = { fingerprint: `p${problem}`, title: `problem ${problem}`, content, createdAt: clock.now() }
      await service.work([draft({ ...about, sender: 'error_tracker', severity: 'warning', status })])
      await run(seconds / PROBLEMS)
    }
  }

  async function run(seconds: number): Promise<void> {
    const endMs = clock.elapsed() + seconds * 1_000
    while (clock.elapsed() < endMs) {
      const timerMs = clock.elapsed() + (clock.dueInMs[0] ?? Infinity)
      clock.advance(Math.min(endMs, timerMs, service.nextMs()) - clock.elapsed())
      await service.work()
    }
  }

  for (let nth = 0; nth < CHANGES; nth++) await change(nth, 1.2 * PROBLEMS)
  assert.equal(provider.taken.length, CHANGES * PROBLEMS, 'until then each change is a message')
  await change(CHANGES, 1)
  await run(10)
  const begun = service.told().slice(CHANGES * PROBLEMS)
  assert.equal(begun.length, PROBLEMS)
  const latestMs = Math.max(...begun.map(({ afterMs = Infinity }) => afterMs))
  assert(latestMs < 10_000, `the last one after ${latestMs} ms`)
  t.diagnostic(`${provider.taken.length - CHANGES * PROBLEMS} messages, the last one after ${latestMs} ms`)
})
