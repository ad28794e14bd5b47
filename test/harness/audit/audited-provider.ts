import { setTimeout as pause } from 'node:timers/promises'
import type { Provider, Reply } from '../../../src/simulator/index.ts'

/** Kind of the provider that receives pages; all others receive messages. */
export const PAGER = 'webhook'

/** A provider that counts the marks of the incidents it received. */
export interface AuditedProvider {
  readonly kind: string
  /** Requests by mark that the provider may have kept. */
  readonly received: ReadonlyMap<string, number>
  /** All requests so far. */
  readonly requests: number
  /** Ends all failures. */
  heal(): void
}

/**
 * Counts what a provider receives. With `random` it fails in all its ways until it is healed: errors, resets, hangs,
 * 429, delays.
 */
export function auditedProvider(provider: Provider, random: () => number = () => 1): AuditedProvider {
  const received = new Map<string, number>()
  let healed = false
  let requests = 0
  provider.script = ({ body }) => {
    requests++
    const reply = healed ? undefined : replyFor(random())
    const marks = reply?.status === undefined ? new Set(body.match(/mark-\d+-end/g)) : []
    for (const mark of marks) received.set(mark, (received.get(mark) ?? 0) + 1)
    return reply
  }
  return {
    kind: provider.kind,
    received,
    get requests() {
      return requests
    },
    heal() {
      healed = true
    },
  }
}

function replyFor(random: number): Reply | undefined {
  if (random < 0.15) return { status: 500, body: 'oops' }
  if (random < 0.25) return { reset: true }
  if (random < 0.28) return { hang: true }
  if (random < 0.33) return { status: 429, headers: { 'retry-after': '0' }, body: 'slow down' }
  if (random < 0.6) return { after: pause(1_000 * (random - 0.33)) }
  return undefined
}
