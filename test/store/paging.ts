import type { TestContext } from 'node:test'
import type { Attempt } from '../../src/domain/delivery.ts'
import type { OncallPolicy, Page, PageSettlement } from '../../src/domain/oncall.ts'
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
export const claimPages = ({ store }: StoreRig, slots = 100): Page[] => store.write(() => store.oncall.claim(slots))

/** Settles one page. */
export function settle(
  { store }: StoreRig,
  { incident, attempt }: Page,
  verdict: PageSettlement['verdict'],
  changes: Partial<Attempt> = {},
) {
  const outcome = ({ sent: 'sent', pending: 'retry', dead: 'failed', released: 'retry' } as const)[verdict.state]
  const times = { startedAt: START, durationMs: 20, renderMs: 0, limiterWaitMs: 0, dispatchedAt: START }
  const made = { number: attempt, ...times, outcome, detail: 'trigger', mayDuplicate: false, ...changes }
  const settlement: PageSettlement = { incident, verdict, ...(verdict.state === 'released' ? {} : { attempt: made }) }
  return store.write(() => store.oncall.settle(settlement))
}
