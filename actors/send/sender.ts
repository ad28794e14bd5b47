import { attemptOf } from '../../src/channels/attempt.ts'
import type { Channel } from '../../src/channels/channel.ts'
import type { DestinationThrottle } from '../../src/channels/destination/throttle.ts'
import { messageOf, UNRENDERED } from '../../src/channels/message.ts'
import { sendWithDeadline } from '../../src/channels/send-with-deadline.ts'
import type { Dispatch, Settlement } from '../../src/domain/commit.ts'
import type { Attempt, Outcome } from '../../src/domain/delivery.ts'
import type { Message } from '../../src/domain/message.ts'
import { decide, type RetryPolicy } from '../../src/domain/retry.ts'
import type { Actor } from '../../src/kernel/cell.ts'
import type { Clock } from '../../src/kernel/clock.ts'
import type { Slot } from '../../src/kernel/mailbox.ts'
import type { Ref } from '../../src/kernel/ref.ts'
import { SendBuffer } from '../../src/kernel/send-buffer.ts'
import type { Rendered, RenderItem } from '../../src/render/pool/pool.ts'
import type { SenderMail } from '../messages/mailboxes.ts'
import type { Settle } from '../messages/storage-send.ts'

interface SenderDeps {
  readonly channel: Channel
  readonly storage: Ref<Settle>
  readonly throttle: DestinationThrottle
  readonly policy: RetryPolicy
  /** Sends under way at once. */
  readonly concurrency: number
  /** Deadline of one attempt, from connecting to the provider's answer. */
  readonly timeoutMs: number
  /** Time that sends under way get when the sender is drained; then they are aborted. */
  readonly drainMs: number
  readonly clock: Clock
  /** Number of sends on the wire, for the state of the channel. Outlives restarts of the actor. */
  readonly gauge: { sending: number }
  /** Uniform in [0, 1), for the jitter. */
  random(): number
  render(items: readonly RenderItem[]): Promise<readonly Rendered[]>
  /** Returns the URL that acknowledges the incident; undefined: no link. */
  ackUrl(dispatch: Dispatch): string | undefined
  /** Called after every attempt. */
  attempted(dispatch: Dispatch, attempt: Attempt, verdict: Settlement['verdict']): void
  /** Reports a bug; the deliveries concerned are tried again. */
  failed(error: unknown): void
}

const ERROR_PAUSE_MS = 1_000

/** A delivery on its way through the sender. Its settlement frees the slot. */
interface Job {
  readonly dispatch: Dispatch
  readonly ackUrl: string | undefined
  readonly slot: Slot
  readonly destination: string
  /** The incarnation of storage that dispatched it. A later one dispatches it anew. */
  readonly incarnation: number
}
interface RenderedJob {
  readonly job: Job
  readonly message: Message
  readonly rendered: Rendered
  readonly limiterWaitMs: number
}

/**
 * Sends the deliveries of one channel: render -> token bucket of the destination -> free request -> circuit breaker ->
 * send -> settle. Starts in the order of dispatch. A delivery whose destination cannot take it soon goes back to disk.
 *
 * - open: sends. Leaves to paused and back by an operator; to draining at the end.
 * - paused: releases deliveries that are not on the wire, and those that still come.
 * - draining: as paused, for good.
 */
export function senderActor(deps: SenderDeps): Actor<SenderMail> {
  const { channel, storage, throttle, clock } = deps
  const settlements = new SendBuffer(storage)
  /** Deliveries that are here and not settled. */
  const unsettled = new Set<Job>()
  /** Sends on the wire, each with its deadline. */
  const sending = new Map<Job, AbortController>()
  const ready: RenderedJob[] = []
  /** Deliveries that found their destination's circuit half-open with its probe under way. */
  const awaitingProbe = new Map<string, RenderedJob[]>()
  let state: 'open' | 'paused' | 'draining' = 'open'
  let lastQueued = Promise.resolve()
  let onEmpty = () => {}
  let incarnation = 0

  function receive(batch: readonly SenderMail[], slots: readonly Slot[]): void {
    const jobs: Job[] = []
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
    if (jobs.length > 0) lastQueued = renderAll(jobs, lastQueued)
  }

  function accept(dispatch: Dispatch, slot: Slot): Job[] {
    const destination = channel.destination(messageOf(dispatch, UNRENDERED))
    const job = { dispatch, ackUrl: deps.ackUrl(dispatch), slot, destination, incarnation }
    const waitMs = throttle.deferMs(destination, dispatch.incident)
    unsettled.add(job)
    throttle.enter(destination)
    if (state === 'open' && waitMs === 0) return [job]
    settle(job, state === 'open' ? pendingIn(waitMs) : { state: 'released' })
    return []
  }

  /** Renders right away; queues only when all earlier batches are queued, to keep the order. */
  async function renderAll(jobs: readonly Job[], before: Promise<void>): Promise<void> {
    try {
      const rendered = await deps.render(jobs.map(itemOf))
      await before
      jobs.forEach((job, at) => void queue(job, rendered[at] as Rendered))
    } catch (error) {
      const left = jobs.filter((job) => unsettled.has(job))
      if (left.length > 0) deps.failed(error)
      for (const job of left) settle(job, pendingIn(ERROR_PAUSE_MS))
    }
  }

  async function queue(job: Job, rendered: Rendered): Promise<void> {
    if (!unsettled.has(job)) return
    try {
      const limiterWaitMs = await throttle.acquire(job.destination)
      const message = messageOf(job.dispatch, rendered, job.ackUrl)
      ready.push({ job, message, rendered, limiterWaitMs })
      startNext()
    } catch {
      defer(job)
    }
  }

  /** Returns a delivery to disk until its destination may take it. */
  function defer(job: Job): void {
    if (unsettled.has(job))
      settle(job, pendingIn(Math.max(1, throttle.deferMs(job.destination, job.dispatch.incident))))
  }

  function startNext(): void {
    while (sending.size < deps.concurrency) {
      const next = ready.shift()
      if (!next) return
      if (unsettled.has(next.job)) start(next)
    }
  }

  function start(next: RenderedJob): void {
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

  async function sendOne(next: RenderedJob): Promise<void> {
    const { job } = next
    const deadline = new AbortController()
    sending.set(job, deadline)
    deps.gauge.sending++
    try {
      await attempt(next, deadline)
    } catch (error) {
      deps.failed(error)
      settle(job, pendingIn(ERROR_PAUSE_MS))
    }
    sending.delete(job)
    deps.gauge.sending--
    startNext()
  }

  async function attempt(
    { job, message, rendered, limiterWaitMs }: RenderedJob,
    deadline: AbortController,
  ): Promise<void> {
    const { outcome, ...measured } = await sendWithDeadline(deps, message, deadline)
    record(job.destination, outcome)
    const attempt = attemptOf(job.dispatch, outcome, {
      ...measured,
      renderMs: rendered.renderMs,
      renderFailure: rendered.failure,
      limiterWaitMs,
    })
    const verdict = verdictOf(outcome, job.dispatch.attempt)
    settle(job, verdict, { attempt, text: message.text })
    deps.attempted(job.dispatch, attempt, verdict)
  }

  /** Records an outcome. Deliveries that waited for this probe go before later ones. */
  function record(destination: string, outcome: Outcome): void {
    throttle.record(destination, outcome)
    const back = awaitingProbe.get(destination)
    if (!back) return
    ready.unshift(...back)
    awaitingProbe.delete(destination)
  }

  function verdictOf(outcome: Outcome, attempt: number): Settlement['verdict'] {
    const verdict = decide(outcome, attempt, deps.policy, deps.random())
    return verdict.state === 'pending' ? pendingIn(verdict.delayMs) : verdict
  }

  function pendingIn(ms: number): Settlement['verdict'] {
    return { state: 'pending', at: clock.now() + ms }
  }

  /** Settles a delivery once; ignores further calls for it. */
  function settle(job: Job, verdict: Settlement['verdict'], details: { attempt: Attempt; text: string } | object = {}) {
    if (!unsettled.delete(job)) return
    throttle.leave(job.destination)
    const { incident, channel } = job.dispatch
    if (job.incarnation !== incarnation) job.slot.free()
    else
      settlements.tell({ kind: 'settle', settlement: { incident, channel, verdict, ...details } }, () =>
        job.slot.free(),
      )
    if (unsettled.size === 0) onEmpty()
  }

  /**
   * Forgets settlements and deliveries: the next incarnation of storage finds them as sending, and dispatches them
   * again with `may_duplicate`.
   */
  function storageLost(): void {
    incarnation++
    settlements.clear()
    releaseWaiting()
  }

  /** Sends on the wire go on. Deliveries that storage dispatched before it was paused are released on arrival. */
  function pause(paused: boolean): void {
    if (state === 'draining') return
    state = paused ? 'paused' : 'open'
    if (paused) releaseWaiting()
  }

  /** Releases all deliveries that are not on the wire. */
  function releaseWaiting(): void {
    for (const job of [...unsettled]) if (!sending.has(job)) settle(job, { state: 'released' })
    ready.length = 0
    awaitingProbe.clear()
    throttle.abandon()
  }

  return {
    receive,
    deadLetter(mail) {
      if (mail.kind !== 'deliver') return
      const { incident, channel } = mail.dispatch
      settlements.tell(
        { kind: 'settle', settlement: { incident, channel, verdict: pendingIn(ERROR_PAUSE_MS) } },
        () => {},
      )
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
      await channel.close()
    },
  }
}

function itemOf({ dispatch, ackUrl }: Job): RenderItem {
  const { id, title, service, severity, status, sender, source, createdAt, content, notice } = dispatch
  const facts = { id, title, service, severity, status, sender, source, createdAt }
  return { content, facts, ...(ackUrl === undefined ? {} : { ackUrl }), ...(notice && { notice }) }
}
