import { attemptOf } from '../src/channels/attempt.ts'
import type { Channel } from '../src/channels/channel.ts'
import type { Circuits } from '../src/channels/circuit.ts'
import type { Limiter } from '../src/channels/limiter.ts'
import { PATIENCE_MS, type WaitingRoom } from '../src/channels/waiting-room.ts'
import type { Handout, Settlement } from '../src/domain/commit.ts'
import type { Attempt, Outcome } from '../src/domain/delivery.ts'
import type { Message } from '../src/domain/message.ts'
import { askedMs, decide, type RetryPolicy } from '../src/domain/retry.ts'
import type { Actor } from '../src/kernel/actor.ts'
import type { Clock } from '../src/kernel/clock.ts'
import type { Place } from '../src/kernel/mailbox.ts'
import { Outbox } from '../src/kernel/outbox.ts'
import type { Ref } from '../src/kernel/ref.ts'
import type { Rendered, RenderItem } from '../src/render/pool.ts'
import type { SenderMail, Settle } from './messages.ts'

export interface SenderTools {
  readonly channel: Channel
  readonly storage: Ref<Settle>
  readonly room: WaitingRoom
  readonly limiter: Limiter
  readonly circuits: Circuits
  readonly policy: RetryPolicy
  /** Sends under way at once. */
  readonly concurrency: number
  /** Deadline of one attempt, from connecting to the provider's answer. */
  readonly timeoutMs: number
  /** What sends under way are given when the sender is drained; then they end as they do at their deadline. */
  readonly drainMs: number
  readonly clock: Clock
  /** Uniform in [0, 1), for the jitter. */
  random(): number
  render(items: readonly RenderItem[]): Promise<readonly Rendered[]>
  /** After every attempt. */
  attempted(handout: Handout, attempt: Attempt, verdict: Settlement['verdict']): void
  /** A fault of ours; the deliveries concerned are tried again. */
  failed(error: unknown): void
}

const FAULT_PAUSE_MS = 1_000

/** A delivery on its way through the sender; its place is freed by its settlement. */
interface Job {
  readonly handout: Handout
  readonly place: Place
  readonly destination: string
  /** The life of storage that handed it out; a later one has handed it out anew. */
  readonly era: number
}
interface Ready {
  readonly job: Job
  readonly message: Message
  readonly rendered: Rendered
  readonly limiterWaitMs: number
}

/**
 * One channel: render -> wait for the destination's rate -> wait for a free line -> send -> settle. Starts in the order of hand-out; a delivery
 * whose destination cannot take it soon goes back to the disk at once.
 */
export function senderActor(tools: SenderTools): Actor<SenderMail> {
  const { channel, storage, room, limiter, circuits, clock } = tools
  const settlements = new Outbox(storage)
  /** All that is here and not settled. */
  const live = new Set<Job>()
  /** What is on the wire, each with its deadline. */
  const sending = new Map<Job, AbortController>()
  const ready: Ready[] = []
  /** By destination: ends the waiting for its rate. */
  const waits = new Map<string, AbortController>()
  let state: 'open' | 'draining' = 'open'
  let queued = Promise.resolve()
  let emptied = () => {}
  let era = 0

  function receive(batch: readonly SenderMail[], places: readonly Place[]): void {
    const jobs: Job[] = []
    batch.forEach((mail, at) => {
      const place = places[at] as Place
      switch (mail.kind) {
        case 'deliver':
          jobs.push(...arrive(mail.handout, place))
          return
        case 'peer':
          place.settle()
          if (!mail.up) storageLost()
          return
        default:
          mail satisfies never
      }
    })
    if (jobs.length > 0) queued = renderAll(jobs, queued)
  }

  function arrive(handout: Handout, place: Place): Job[] {
    const destination = channel.destination(messageOf(handout, UNRENDERED))
    const job = { handout, place, destination, era }
    const waitMs = room.waitMs(destination, handout.incident)
    live.add(job)
    room.enter(destination)
    if (state === 'open' && waitMs === 0) return [job]
    settle(job, state === 'open' ? pendingIn(waitMs) : { state: 'returned' })
    return []
  }

  /** Renders at once, and queues when all that came before is queued. */
  async function renderAll(jobs: readonly Job[], before: Promise<void>): Promise<void> {
    try {
      const rendered = await tools.render(jobs.map(({ handout }) => itemOf(handout)))
      await before
      jobs.forEach((job, at) => void queue(job, rendered[at] as Rendered))
    } catch (error) {
      const left = jobs.filter((job) => live.has(job))
      if (left.length > 0) tools.failed(error)
      for (const job of left) settle(job, pendingIn(FAULT_PAUSE_MS))
    }
  }

  async function queue(job: Job, rendered: Rendered): Promise<void> {
    const { destination, handout } = job
    if (!live.has(job)) return
    try {
      const limiterWaitMs = await limiter.take(destination, waitOf(destination).signal)
      ready.push({ job, message: messageOf(handout, rendered), rendered, limiterWaitMs })
      startNext()
    } catch {
      if (live.has(job)) settle(job, pendingIn(Math.max(1, room.waitMs(destination, handout.incident))))
    }
  }

  function waitOf(destination: string): AbortController {
    const wait = waits.get(destination) ?? new AbortController()
    waits.set(destination, wait)
    return wait
  }

  function startNext(): void {
    while (sending.size < tools.concurrency) {
      const next = ready.shift()
      if (!next) return
      if (live.has(next.job)) void sendOne(next)
    }
  }

  async function sendOne(next: Ready): Promise<void> {
    const { job } = next
    const deadline = new AbortController()
    sending.set(job, deadline)
    try {
      await attempt(next, deadline)
    } catch (error) {
      tools.failed(error)
      settle(job, pendingIn(FAULT_PAUSE_MS))
    }
    sending.delete(job)
    startNext()
  }

  async function attempt(next: Ready, deadline: AbortController): Promise<void> {
    const { job, message, rendered, limiterWaitMs } = next
    const admission = circuits.admit(job.destination)
    if (!admission.ok) {
      settle(job, pendingIn(admission.retryAfterMs))
      return shut(job.destination, admission.retryAfterMs)
    }
    const startedAt = clock.now()
    const began = clock.elapsed()
    const outcome = await outcomeOf(message, deadline)
    circuits.record(job.destination, outcome)
    const durationMs = clock.elapsed() - began
    const attempt = attemptOf(job.handout, outcome, { ...rendered, limiterWaitMs, startedAt, durationMs })
    const verdict = verdictOf(outcome, job.handout.attempt)
    settle(job, verdict, { attempt, text: message.text })
    if (outcome.kind === 'retry') pause(job.destination, askedMs(outcome.afterMs))
    tools.attempted(job.handout, attempt, verdict)
  }

  /** A channel answers with outcomes; what it throws is a fault of ours, and nobody knows how far the message got. */
  async function outcomeOf(message: Message, deadline: AbortController): Promise<Outcome> {
    const timer = clock.setTimer(tools.timeoutMs, () => deadline.abort())
    try {
      return await channel.send(message, deadline.signal)
    } catch (error) {
      tools.failed(error)
      return { kind: 'retry', reason: 'internal fault of the channel', mayDuplicate: true }
    } finally {
      timer.cancel()
    }
  }

  function verdictOf(outcome: Outcome, attempt: number): Settlement['verdict'] {
    const verdict = decide(outcome, attempt, tools.policy, tools.random())
    return verdict.state === 'pending' ? pendingIn(verdict.delayMs) : verdict
  }

  function pause(destination: string, ms: number): void {
    if (ms === 0) return
    limiter.pause(destination, ms)
    if (ms > PATIENCE_MS) shut(destination, ms)
  }

  /** Its deliveries give their places to those of other destinations. */
  function shut(destination: string, ms: number): void {
    room.shut(destination, ms)
    waits.get(destination)?.abort()
    waits.delete(destination)
  }

  function pendingIn(ms: number): Settlement['verdict'] {
    return { state: 'pending', at: clock.now() + ms }
  }

  /** Once for each; what comes later for the same delivery is too late. */
  function settle(job: Job, verdict: Settlement['verdict'], tried: { attempt: Attempt; text: string } | object = {}) {
    if (!live.delete(job)) return
    room.leave(job.destination)
    const { incident, channel } = job.handout
    if (job.era !== era) job.place.settle()
    else
      settlements.tell({ kind: 'settle', settlement: { incident, channel, verdict, ...tried } }, () =>
        job.place.settle(),
      )
    if (live.size === 0) emptied()
  }

  /** The next storage finds these deliveries under way in its database and hands them out again, flagged. */
  function storageLost(): void {
    era++
    settlements.clear()
    giveBack()
  }

  /** All but what is on the wire. */
  function giveBack(): void {
    for (const job of [...live]) if (!sending.has(job)) settle(job, { state: 'returned' })
    for (const wait of waits.values()) wait.abort()
    waits.clear()
  }

  return {
    receive,
    deadLetter(mail) {
      if (mail.kind !== 'deliver') return
      const { incident, channel } = mail.handout
      settlements.tell(
        { kind: 'settle', settlement: { incident, channel, verdict: pendingIn(FAULT_PAUSE_MS) } },
        () => {},
      )
    },
    async drain() {
      state = 'draining'
      giveBack()
      const cut = clock.setTimer(tools.drainMs, () => {
        for (const deadline of sending.values()) deadline.abort()
      })
      while (live.size > 0)
        await new Promise<void>((resolve) => {
          emptied = resolve
        })
      cut.cancel()
      await new Promise<void>((resolve) => settlements.whenIdle(resolve))
    },
    async close() {
      state = 'draining'
      giveBack()
      await channel.close()
    },
  }
}

const UNRENDERED = { text: '' }

function itemOf(handout: Handout): RenderItem {
  const { id, title, service, severity, status, sender, source, createdAt, content } = handout
  return { content, facts: { id, title, service, severity, status, sender, source, createdAt } }
}

function messageOf(handout: Handout, { text, subject }: Pick<Rendered, 'text' | 'subject'>): Message {
  const { id, createdAt, title, service, severity, status, target, inReplyTo } = handout
  return {
    incidentId: id,
    createdAt,
    title,
    service,
    severity,
    status,
    text,
    ...(subject === undefined ? {} : { subject }),
    ...(target === undefined ? {} : { target }),
    ...(inReplyTo === undefined ? {} : { inReplyTo }),
  }
}
