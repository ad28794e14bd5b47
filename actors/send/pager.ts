import type { CircuitBreakers } from '../../src/channels/destination/circuit-breakers.ts'
import type { Attempt, Outcome } from '../../src/domain/delivery.ts'
import type { Page, PageSettlement } from '../../src/domain/oncall.ts'
import { decide, type RetryPolicy } from '../../src/domain/retry.ts'
import type { Actor } from '../../src/kernel/cell.ts'
import type { Clock } from '../../src/kernel/clock.ts'
import type { Slot } from '../../src/kernel/mailbox.ts'
import type { Ref } from '../../src/kernel/ref.ts'
import { SendBuffer } from '../../src/kernel/send-buffer.ts'
import type { Provider } from '../../src/oncall/provider.ts'
import type { PagerMail } from '../messages/mailboxes.ts'
import type { SettlePage } from '../messages/storage-pager.ts'

interface PagerDeps {
  readonly provider: Provider
  readonly storage: Ref<SettlePage>
  readonly circuits: CircuitBreakers
  readonly policy: RetryPolicy
  /** Requests under way at once. */
  readonly concurrency: number
  /** Deadline of one attempt, from connecting to the provider's answer. */
  readonly timeoutMs: number
  /** Time that requests under way get when the actor is drained; then they are aborted. */
  readonly drainMs: number
  readonly clock: Clock
  /** Uniform in [0, 1), for the jitter. */
  random(): number
  /** Called after every attempt. */
  attempted(page: Page, attempt: Attempt, verdict: PageSettlement['verdict']): void
  /** Reports a bug; the pages concerned are tried again. */
  failed(error: unknown): void
}

const ERROR_PAUSE_MS = 1_000
/** Delay of pages that find the circuit half-open with its probe under way: the probe is about to decide. */
const PROBE_POLL_MS = 1_000

/** A page on its way. Its settlement frees the slot. */
interface Job {
  readonly page: Page
  readonly slot: Slot
  /** The incarnation of storage that dispatched it. A later one dispatches it anew. */
  readonly incarnation: number
}

/**
 * Sends due pages to the provider, in the order of dispatch, and settles each.
 *
 * - open: takes pages. Leaves to draining.
 * - draining: releases pages that are not on the wire, and those that still come.
 */
export function pagerActor(deps: PagerDeps): Actor<PagerMail> {
  const { provider, circuits, clock } = deps
  const settlements = new SendBuffer(deps.storage)
  const waiting: Job[] = []
  /** Requests on the wire, each with its deadline. */
  const sending = new Map<Job, AbortController>()
  let state: 'open' | 'draining' = 'open'
  let incarnation = 0
  let onEmpty = () => {}

  function receive(batch: readonly PagerMail[], slots: readonly Slot[]): void {
    batch.forEach((mail, at) => handle(mail, slots[at] as Slot))
    startNext()
  }

  function handle(mail: PagerMail, slot: Slot): void {
    switch (mail.kind) {
      case 'page':
        waiting.push({ page: mail.page, slot, incarnation })
        return
      case 'peer':
        slot.free()
        if (!mail.up) storageLost()
        return
      default:
        mail satisfies never
    }
  }

  function startNext(): void {
    if (state === 'draining') return releaseWaiting()
    while (sending.size < deps.concurrency) {
      const job = waiting.shift()
      if (!job) return
      const deadline = new AbortController()
      sending.set(job, deadline)
      void sendPage(job, deadline)
    }
  }

  async function sendPage(job: Job, deadline: AbortController): Promise<void> {
    const settlement = await attemptPage(job, deadline).catch((error): PageSettlement => {
      deps.failed(error)
      return { incident: job.page.incident, verdict: pendingIn(ERROR_PAUSE_MS) }
    })
    sending.delete(job)
    settle(job, settlement)
    startNext()
    if (sending.size === 0) onEmpty()
  }

  async function attemptPage({ page }: Job, deadline: AbortController): Promise<PageSettlement> {
    const destination = provider.destination(page)
    const permit = circuits.admit(destination)
    if (permit.kind === 'open') return { incident: page.incident, verdict: pendingIn(permit.retryAfterMs) }
    if (permit.kind === 'probing') return { incident: page.incident, verdict: pendingIn(PROBE_POLL_MS) }
    const startedAt = clock.now()
    const began = clock.elapsed()
    let connectedMs: number | undefined
    const onConnected = () => {
      connectedMs ??= clock.elapsed() - began
    }
    const outcome = await outcomeOf(page, deadline, onConnected)
    circuits.record(destination, outcome)
    const durationMs = clock.elapsed() - began
    const attempt = attemptOf(page, outcome, {
      startedAt,
      durationMs,
      ...(connectedMs !== undefined && { connectedMs }),
    })
    const verdict = verdictOf(page, outcome)
    deps.attempted(page, attempt, verdict)
    return { incident: page.incident, verdict, attempt }
  }

  /** Turns an exception of the provider, which is a bug, into a retry: it is unknown how far the page got. */
  async function outcomeOf(page: Page, deadline: AbortController, onConnected: () => void): Promise<Outcome> {
    const timer = clock.setTimer(deps.timeoutMs, () => deadline.abort())
    try {
      return await provider.send(page, deadline.signal, onConnected)
    } catch (error) {
      deps.failed(error)
      return { kind: 'retry', reason: 'the on-call provider failed: a bug of Tocsin, see the log', mayDuplicate: true }
    } finally {
      timer.cancel()
    }
  }

  function verdictOf(page: Page, outcome: Outcome): PageSettlement['verdict'] {
    const verdict = decide(outcome, page.attempt, deps.policy, deps.random())
    return verdict.state === 'pending' ? pendingIn(verdict.delayMs) : verdict
  }

  function pendingIn(ms: number): PageSettlement['verdict'] {
    return { state: 'pending', at: clock.now() + ms }
  }

  function settle({ slot, incarnation: sentBy }: Job, settlement: PageSettlement): void {
    if (sentBy === incarnation) settlements.tell({ kind: 'told', settlement }, () => slot.free())
    else slot.free()
  }

  /** Forgets settlements and pages: the next incarnation of storage finds in its database what was under way. */
  function storageLost(): void {
    incarnation++
    settlements.clear()
    releaseWaiting()
  }

  function releaseWaiting(): void {
    for (const job of waiting.splice(0)) settle(job, { incident: job.page.incident, verdict: { state: 'released' } })
  }

  return {
    receive,
    deadLetter(mail) {
      if (mail.kind !== 'page') return
      const settlement = { incident: mail.page.incident, verdict: pendingIn(ERROR_PAUSE_MS) }
      settlements.tell({ kind: 'told', settlement }, () => {})
    },
    async drain() {
      state = 'draining'
      releaseWaiting()
      const cut = clock.setTimer(deps.drainMs, () => {
        for (const deadline of sending.values()) deadline.abort()
      })
      while (sending.size > 0)
        await new Promise<void>((resolve) => {
          onEmpty = resolve
        })
      cut.cancel()
      await new Promise<void>((resolve) => settlements.whenIdle(resolve))
    },
    close() {
      state = 'draining'
      releaseWaiting()
    },
  }
}

/** Returns the entry of the ledger; its detail names the signal. */
function attemptOf(
  { signal, attempt, mayDuplicate, dispatchedAt }: Page,
  outcome: Outcome,
  measured: Pick<Attempt, 'startedAt' | 'durationMs' | 'connectedMs'>,
): Attempt {
  const reason = outcome.kind === 'sent' ? outcome.note : outcome.reason
  return {
    number: attempt,
    ...measured,
    outcome: outcome.kind,
    detail: reason === undefined ? signal : `${signal}: ${reason}`,
    mayDuplicate: mayDuplicate || (outcome.kind === 'retry' && outcome.mayDuplicate === true),
    dispatchedAt,
    renderMs: 0,
    limiterWaitMs: 0,
  }
}
