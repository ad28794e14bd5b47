import type { TestContext } from 'node:test'
import type { Attempt, DispatchVerdict } from '../../src/domain/delivery/delivery.ts'
import { keyOf, type Page, type Settlement } from '../../src/domain/delivery/dispatch.ts'
import type { OncallPolicy } from '../../src/domain/oncall.ts'
import { START, StoreRig } from './support.ts'

/** The policy of these tests. */
export const POLICY: OncallPolicy = { enable: true, waitMs: 60_000, provider: 'webhook' }
/** When a page of an incident committed at `START` is due, epoch milliseconds. */
export const DUE = START + 60_000

/** A store that pages, with one channel. */
export function paging(t: TestContext, policy: Partial<OncallPolicy> = {}) {
  return new StoreRig(t, { channels: ['email'], oncall: { ...POLICY, ...policy } })
}

/** Claims the pages that are due. */
export function claimPages(rig: StoreRig, slots = 100): Page[] {
  const capacity = new Map([['oncall', { slots, maxBytes: 1e6 }] as const])
  const { dispatches } = rig.turn({ capacity })
  return dispatches.flatMap((dispatch) => (dispatch.kind === 'page' ? [dispatch] : []))
}

/** Settles one page. */
export function settle(rig: StoreRig, page: Page, verdict: DispatchVerdict, changes: Partial<Attempt> = {}) {
  const outcome = ({ sent: 'sent', pending: 'retry', dead: 'failed', released: 'retry' } as const)[verdict.state]
  const times = { startedAt: START, durationMs: 20, renderMs: 0, limiterWaitMs: 0, dispatchedAt: START }
  const made = { number: page.attempt, ...times, outcome, detail: 'trigger', mayDuplicate: false, ...changes }
  const settlement: Settlement = { ...keyOf(page), verdict, ...(verdict.state === 'released' ? {} : { attempt: made }) }
  const [settled] = rig.turn({ settlements: [settlement] }).settled
  return settled?.kind === 'page' ? settled.change : undefined
}
