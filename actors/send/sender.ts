import { NORMAL, type Place } from '../../src/channels/destination/token-buckets.ts'
import type { Attempt, DispatchVerdict, Outcome } from '../../src/domain/delivery/delivery.ts'
import { type Dispatch, keyOf, type Settlement } from '../../src/domain/delivery/dispatch.ts'
import { decide, type RetryPolicy } from '../../src/domain/delivery/retry.ts'
import type { Actor } from '../../src/kernel/cell.ts'
import type { Clock, Timer } from '../../src/kernel/clock.ts'
import type { Slot } from '../../src/kernel/mailbox.ts'
import type { Ref } from '../../src/kernel/ref.ts'
import { SendBuffer } from '../../src/kernel/send-buffer.ts'
import { sendWithDeadline } from '../../src/outbound/send-with-deadline.ts'
import type { SenderMail } from '../messages/mailboxes.ts'
import type { Settle } from '../messages/storage-send.ts'
import { attemptOf } from './attempt.ts'
import type { Prepared, Transport, TransportThrottle } from './transport.ts'

interface SenderDeps<D extends Dispatch, Message> {
  readonly transport: Transport<D, Message>
  readonly storage: Ref<Settle>
  readonly throttle: TransportThrottle
  readonly policy: RetryPolicy
  /** Sends under way at once. */
  readonly concurrency: number
  /** Deadline of one attempt, from connecting to the provider's answer. */
  readonly timeoutMs: number
  /** Time that sends under way get when the sender is drained; then they are aborted. */
  readonly drainMs: number
  readonly clock: Clock
  /** Returns whether a send may begin now. While it may not, dispatches wait; it is asked again every 100 ms. */
  mayBegin(): boolean
  /** Number of sends on the wire, for the state of the channel. Outlives restarts of the actor. */
  readonly gauge?: { sending: number }
  /** Uniform in [0, 1), for the jitter. */
  random(): number
  /** Called after every attempt. */
  attempted(dispatch: D, attempt: Attempt, verdict: DispatchVerdict): void
  /** Reports a bug; the dispatches concerned are tried again. */
  failed(error: unknown): void
}

const ERROR_PAUSE_MS = 1_000
const ASK_LEASE_MS = 100

/** A dispatch on its way through the sender. Its settlement frees the slot. */
interface Job<D> {
  readonly dispatch: D
  readonly slot: Slot
  readonly destination: string
  /** The incarnation of storage that dispatched it. A later one dispatches it anew. */
  readonly incarnation: number
}
interface ReadyJob<D, Message> {
  readonly job: Job<D>
  readonly prepared: Prepared<Message>
  readonly limiterWaitMs: number
}

/**
 * Sends what goes to one channel, or to the on-call provider: prepare -> token bucket of the destination -> free
 * request -> circuit breaker -> send -> settle. Starts in the order of dispatch. A dispatch whose destination cannot
 * take it soon goes back to disk.
 *
 * - open: sends. Leaves to paused and back by an operator; to draining at the end.
 * - paused: releases dispatches that are not on the wire, and those that still come.
 * - draining: as paused, for good.
 */
export function senderActor<D extends Dispatch, Message>(deps: SenderDeps<D, Message>): Actor<SenderMail<D>> {
  const { transport, storage, throttle, clock } = deps
  const settlements = new SendBuffer(storage)
  /** Dispatches that are here and not settled. */
  const unsettled = new Set<Job<D>>()
  /** Sends on the wire, each with its deadline. */
  const sending = new Map<Job<D>, AbortController>()
  const ready: ReadyJob<D, Message>[] = []
  /** Dispatches that found their destination's circuit half-open with its probe under way. */
  const awaitingProbe = new Map<string, ReadyJob<D, Message>[]>()
  let state: 'open' | 'paused' | 'draining' = 'open'
  let lastQueued = Promise.resolve()
  let onEmpty = () => {}
  let leaseTimer: Timer | undefined
  let incarnation = 0

  function receive(batch: readonly SenderMail<D>[], slots: readonly Slot[]): void {
    const jobs: Job<D>[] = []
    batch.forEach((mail, at) => {
      const slot = slots[at] as Slot
      switch (mail.kind) {
        case 'deliver':
          jobs.push(...accept(mail.dispatch, slot))
          return
        case 'peer':
          slot.free()
          if (!mail.up) storageLost()
          return
        case 'pause':
          slot.free()
          pause(mail.paused)
          return
        default:
          mail satisfies never
      }
    })
    if (jobs.length > 0) lastQueued = prepareAll(jobs, lastQueued)
  }

  function accept(dispatch: D, slot: Slot): Job<D>[] {
    const destination = transport.destination(dispatch)
    const job = { dispatch, slot, destination, incarnation }
    const waitMs = deferMs(job)
    unsettled.add(job)
    throttle.enter(destination)
    if (state === 'open' && waitMs === 0) return [job]
    settle(job, state === 'open' ? pendingIn(waitMs) : { state: 'released' })
    return []
  }

  /** Prepares right away; queues only when all earlier batches are queued, to keep the order. */
  async function prepareAll(jobs: readonly Job<D>[], before: Promise<void>): Promise<void> {
    try {
      const prepared = await transport.prepare(jobs.map(({ dispatch }) => dispatch))
      await before
      jobs.forEach((job, at) => void queue(job, prepared[at] as Prepared<Message>))
    } catch (error) {
      const left = jobs.filter((job) => unsettled.has(job))
      if (left.length > 0) deps.failed(error)
      for (const job of left) settle(job, pendingIn(ERROR_PAUSE_MS))
    }
  }

  async function queue(job: Job<D>, prepared: Prepared<Message>): Promise<void> {
    if (!unsettled.has(job)) return
    try {
      const limiterWaitMs = await throttle.acquire(job.destination, placeOf(job.dispatch))
      ready.push({ job, prepared, limiterWaitMs })
      startNext()
    } catch {
      defer(job)
    }
  }

  /** Returns a dispatch to disk until its destination may take it. */
  function defer(job: Job<D>): void {
    if (unsettled.has(job)) settle(job, pendingIn(Math.max(1, deferMs(job))))
  }

  /** Only deliveries take turns: the others are few, and go as soon as the destination takes anything. */
  function deferMs({ dispatch, destination }: Pick<Job<D>, 'dispatch' | 'destination'>): number {
    return throttle.deferMs(destination, dispatch.kind === 'delivery' ? dispatch.incident : 0)
  }

  function startNext(): void {
    while (sending.size < deps.concurrency) {
      if (ready.length > 0 && !deps.mayBegin()) return waitForLease()
      const next = ready.shift()
      if (!next) return
      if (unsettled.has(next.job)) start(next)
    }
  }

  function waitForLease(): void {
    leaseTimer ??= clock.setTimer(ASK_LEASE_MS, () => {
      leaseTimer = undefined
      startNext()
    })
  }

  function start(next: ReadyJob<D, Message>): void {
    const { destination } = next.job
    const permit = throttle.tryStart(destination)
    switch (permit) {
      case 'admitted':
        return void sendOne(next)
      case 'probing':
        return void awaitingProbe.set(destination, [...(awaitingProbe.get(destination) ?? []), next])
      case 'suspended':
        return defer(next.job)
      default:
        return permit satisfies never
    }
  }

  async function sendOne(next: ReadyJob<D, Message>): Promise<void> {
    const { job } = next
    const deadline = new AbortController()
    sending.set(job, deadline)
    if (deps.gauge) deps.gauge.sending++
    try {
      await attempt(next, deadline)
    } catch (error) {
      deps.failed(error)
      settle(job, pendingIn(ERROR_PAUSE_MS))
    }
    sending.delete(job)
    if (deps.gauge) deps.gauge.sending--
    startNext()
  }

  async function attempt(
    { job, prepared, limiterWaitMs }: ReadyJob<D, Message>,
    deadline: AbortController,
  ): Promise<void> {
    const { message, text, renderMs, renderFailure } = prepared
    const { outcome, ...measured } = await sendWithDeadline(
      { ...deps, sender: transport.name },
      (signal, onConnected) => transport.send(message, signal, onConnected),
      deadline,
    )
    record(job.destination, outcome)
    const attempt = attemptOf(job.dispatch, outcome, { ...measured, renderMs, renderFailure, limiterWaitMs })
    const verdict = verdictOf(outcome, job.dispatch.attempt)
    const circuit = throttle.isOpen(job.destination) && ({ circuitOpen: true } as const)
    settle(job, verdict, { attempt, ...(text !== undefined && { text }), ...circuit })
    deps.attempted(job.dispatch, attempt, verdict)
  }

  /** Records an outcome. Dispatches that waited for this probe go before later ones. */
  function record(destination: string, outcome: Outcome): void {
    throttle.record(destination, outcome)
    const back = awaitingProbe.get(destination)
    if (!back) return
    ready.unshift(...back)
    awaitingProbe.delete(destination)
  }

  function verdictOf(outcome: Outcome, attempt: number): DispatchVerdict {
    const verdict = decide(outcome, attempt, deps.policy, deps.random())
    return verdict.state === 'pending' ? pendingIn(verdict.delayMs) : verdict
  }

  function pendingIn(ms: number): DispatchVerdict {
    return { state: 'pending', at: clock.now() + ms }
  }

  /** Settles a dispatch once; ignores further calls for it. */
  function settle(
    job: Job<D>,
    verdict: DispatchVerdict,
    details: Pick<Settlement, 'attempt' | 'text' | 'circuitOpen'> = {},
  ) {
    if (!unsettled.delete(job)) return
    throttle.leave(job.destination)
    if (job.incarnation !== incarnation) job.slot.free()
    else report({ ...keyOf(job.dispatch), verdict, ...details }, () => job.slot.free())
    if (unsettled.size === 0) onEmpty()
  }

  const report = (settlement: Settlement, sent: () => void) => settlements.tell({ kind: 'settle', settlement }, sent)

  /**
   * Forgets settlements and dispatches: the next incarnation of storage finds them as sending, and dispatches them
   * again with `may_duplicate`.
   */
  function storageLost(): void {
    incarnation++
    settlements.clear()
    releaseWaiting()
  }

  /** Sends on the wire go on. What storage dispatched before it was paused is released on arrival. */
  function pause(paused: boolean): void {
    if (state === 'draining') return
    state = paused ? 'paused' : 'open'
    if (paused) releaseWaiting()
  }

  /** Releases all dispatches that are not on the wire. */
  function releaseWaiting(): void {
    for (const job of [...unsettled]) if (!sending.has(job)) settle(job, { state: 'released' })
    ready.length = 0
    awaitingProbe.clear()
    throttle.abandon()
  }

  return {
    receive,
    deadLetter(mail) {
      if ('dispatch' in mail) report({ ...keyOf(mail.dispatch), verdict: pendingIn(ERROR_PAUSE_MS) }, () => {})
    },
    async drain() {
      state = 'draining'
      releaseWaiting()
      const cut = clock.setTimer(deps.drainMs, () => {
        for (const deadline of sending.values()) deadline.abort()
      })
      while (unsettled.size > 0)
        await new Promise<void>((resolve) => {
          onEmpty = resolve
        })
      cut.cancel()
      await new Promise<void>((resolve) => settlements.whenIdle(resolve))
    },
    async close() {
      state = 'draining'
      releaseWaiting()
      leaseTimer?.cancel()
      await transport.close()
    },
  }
}

const placeOf = (dispatch: Dispatch): Place => (dispatch.destination === 'oncall' ? NORMAL : dispatch)
