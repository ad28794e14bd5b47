import assert from 'node:assert/strict'
import type { Provider, Reply } from '../../src/simulator/index.ts'
import { admin, post } from '../support/system.ts'
import { until } from './campaign.ts'

interface Detail {
  readonly deliveries: readonly { readonly channel: string; readonly state: string; readonly may_duplicate: boolean }[]
}

const LANES = 8
const PAUSE_MS = 4

/** What was answered 201, and what came of it. */
export class Ledger {
  readonly accepted = new Map<string, string>()
  #posted = 0

  /** Posts until told to stop, or the service is gone, or so many are accepted; a refusal is tried again. */
  async load(url: string, signal: AbortSignal, count = 300): Promise<void> {
    const end = this.accepted.size + count
    const lane = async () => {
      while (!signal.aborted && this.accepted.size < end) {
        await this.#post(url).catch(() => new Promise((resolve) => setTimeout(resolve, 50)))
        await new Promise((resolve) => setTimeout(resolve, PAUSE_MS))
      }
    }
    await Promise.all(Array.from({ length: LANES }, lane))
  }

  async #post(url: string): Promise<void> {
    const mark = `mark-${this.#posted++}-end`
    const answer = await post(url, { ServiceName: mark, Logs: 'x'.repeat(300) })
    await answer.arrayBuffer()
    if (answer.status === 503) return
    assert.equal(answer.status, 201)
    const id = answer.headers.get('x-incident-id')
    assert.ok(id)
    this.accepted.set(mark, id)
  }

  /** Every accepted incident is on record and with every provider; what came twice is marked. Returns how many did. */
  async settle(url: string, sinks: readonly Sink[]): Promise<number> {
    for (const sink of sinks)
      await until(
        () => this.#missing(sink),
        (left) => left.length === 0,
      )
    let duplicates = 0
    for (const [mark, id] of this.accepted) {
      const look = async () => (await admin(url, `/api/admin/incidents/${id}`)) as Detail
      const { deliveries } = await until(look, ({ deliveries }) => deliveries.every(({ state }) => state === 'sent'))
      for (const { kind, taken } of sinks) {
        const times = taken.get(mark) ?? 0
        if (times < 2) continue
        duplicates++
        const delivery = deliveries.find(({ channel }) => channel === kind)
        assert.ok(delivery?.may_duplicate, `${mark} came ${times} times to ${kind} and is not marked`)
      }
    }
    return duplicates
  }

  #missing({ taken }: Sink): string[] {
    return [...this.accepted.keys()].filter((mark) => !taken.has(mark))
  }
}

export interface Sink {
  readonly kind: string
  /** How often it was sent each mark and may have kept it. */
  readonly taken: ReadonlyMap<string, number>
  mend(): void
}

/** The provider fails in all the ways it has, as the dice say, until it is mended. */
export function failing(provider: Provider, roll: () => number): Sink {
  const taken = new Map<string, number>()
  let broken = true
  provider.script = ({ body }) => {
    const reply = broken ? replyFor(roll()) : undefined
    const read = reply === undefined || reply.reset || reply.hang
    for (const [mark] of read ? body.matchAll(/mark-\d+-end/g) : []) taken.set(mark, (taken.get(mark) ?? 0) + 1)
    return reply
  }
  return {
    kind: provider.kind,
    taken,
    mend() {
      broken = false
    },
  }
}

function replyFor(rolled: number): Reply | undefined {
  if (rolled < 0.15) return { status: 500, body: 'oops' }
  if (rolled < 0.25) return { reset: true }
  if (rolled < 0.28) return { hang: true }
  if (rolled < 0.33) return { status: 429, headers: { 'retry-after': '0' }, body: 'slow down' }
  return undefined
}
