import { attemptOf } from '../../src/channels/attempt.ts'
import type { Channel } from '../../src/channels/channel.ts'
import type { Gate } from '../../src/channels/destination/throttle.ts'
import { messageOf, UNRENDERED } from '../../src/channels/message.ts'
import { transmit } from '../../src/channels/send-with-deadline.ts'
import type { Handout, Settlement } from '../../src/domain/commit.ts'
import type { Attempt, Outcome } from '../../src/domain/delivery.ts'
import type { Message } from '../../src/domain/message.ts'
import { decide, type RetryPolicy } from '../../src/domain/retry.ts'
import type { Actor } from '../../src/kernel/cell.ts'
import type { Clock } from '../../src/kernel/clock.ts'
import type { Place } from '../../src/kernel/mailbox.ts'
import type { Ref } from '../../src/kernel/ref.ts'
import { Outbox } from '../../src/kernel/send-buffer.ts'
import type { Rendered, RenderItem } from '../../src/render/pool/pool.ts'
import type { SenderMail } from '../messages/mailboxes.ts'
import type { Settle } from '../messages/storage-send.ts'

export interface SenderTools {
  readonly channel: Channel
  readonly storage: Ref<Settle>
  readonly gate: Gate
  readonly policy: RetryPolicy
  /** Sends under way at once. */
  readonly concurrency: number
  /** Deadline of one attempt, from connecting to the provider's answer. */
  readonly timeoutMs: number
  /** What sends under way are given when the sender is drained; then they end as they do at their deadline. */
  readonly drainMs: number
  readonly clock: Clock
  /** Kept true for whoever asks; it outlives the actor's restarts. */
  readonly gauge: { sending: number }
  /** Uniform in [0, 1), for the jitter. */
  random(): number
  render(items: readonly RenderItem[]): Promise<readonly Rendered[]>
  /** Where a person acknowledges the incident. */
  ackUrl(handout: Handout): string | undefined
  /** After every attempt. */
  attempted(handout: Handout, attempt: Attempt, verdict: Settlement['verdict']): void
  /** A fault of ours; the deliveries concerned are tried again. */
  failed(error: unknown): void
}

const FAULT_PAUSE_MS = 1_000

/** A delivery on its way through the sender; its place is freed by its settlement. */
interface Job {
  readonly handout: Handout
  readonly ackUrl: string | undefined
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
  const { channel, storage, gate, clock } = tools
  const settlements = new Outbox(storage)
  /** All that is here and not settled. */
  const live = new Set<Job>()
  /** What is on the wire, each with its deadline. */
  const sending = new Map<Job, AbortController>()
  const ready: Ready[] = []
  /** Those that found a probe out when they were about to be sent, by destination. */
  const held = new Map<string, Ready[]>()
  let state: 'open' | 'paused' | 'draining' = 'open'
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
        case 'pause':
          place.settle()
          pause(mail.paused)
          return
        default:
          mail satisfies never
      }
    })
    if (jobs.length > 0) queued = renderAll(jobs, queued)
  }

  function arrive(handout: Handout, place: Place): Job[] {
    const destination = channel.destination(messageOf(handout, UNRENDERED))
    const job = { handout, ackUrl: tools.ackUrl(handout), place, destination, era }
    const waitMs = gate.waitMs(destination, handout.incident)
    live.add(job)
    gate.enter(destination)
    if (state === 'open' && waitMs === 0) return [job]
    settle(job, state === 'open' ? pendingIn(waitMs) : { state: 'returned' })
    return []
  }

  /** Renders at once, and queues when all that came before is queued. */
  async function renderAll(jobs: readonly Job[], before: Promise<void>): Promise<void> {
    try {
      const rendered = await tools.render(jobs.map(itemOf))
      await before
      jobs.forEach((job, at) => void queue(job, rendered[at] as Rendered))
    } catch (error) {
      const left = jobs.filter((job) => live.has(job))
      if (left.length > 0) tools.failed(error)
      for (const job of left) settle(job, pendingIn(FAULT_PAUSE_MS))
    }
  }

  async function queue(job: Job, rendered: Rendered): Promise<void> {
    if (!live.has(job)) return
    try {
      const limiterWaitMs = await gate.pass(job.destination)
      const message = messageOf(job.handout, rendered, job.ackUrl)
      ready.push({ job, message, rendered, limiterWaitMs })
      startNext()
    } catch {
      park(job)
    }
  }

  /** On disk, until its destination may take it. */
  function park(job: Job): void {
    if (live.has(job)) settle(job, pendingIn(Math.max(1, gate.waitMs(job.destination, job.handout.incident))))
  }

  function startNext(): void {
    while (sending.size < tools.concurrency) {
      const next = ready.shift()
      if (!next) return
      if (live.has(next.job)) start(next)
    }
  }

  function start(next: Ready): void {
    const { destination } = next.job
    const admission = gate.admit(destination)
    switch (admission) {
      case 'admitted':
        return void sendOne(next)
      case 'probing':
        return void held.set(destination, [...(held.get(destination) ?? []), next])
      case 'shut':
        return park(next.job)
      default:
        return admission satisfies never
    }
  }

  async function sendOne(next: Ready): Promise<void> {
    const { job } = next
    const deadline = new AbortController()
    sending.set(job, deadline)
    tools.gauge.sending++
    try {
      await attempt(next, deadline)
    } catch (error) {
      tools.failed(error)
      settle(job, pendingIn(FAULT_PAUSE_MS))
    }
    sending.delete(job)
    tools.gauge.sending--
    startNext()
  }

  async function attempt({ job, message, rendered, limiterWaitMs }: Ready, deadline: AbortController): Promise<void> {
    const { outcome, ...measured } = await transmit(tools, message, deadline)
    record(job.destination, outcome)
    const attempt = attemptOf(job.handout, outcome, { ...rendered, ...measured, limiterWaitMs })
    const verdict = verdictOf(outcome, job.handout.attempt)
    settle(job, verdict, { attempt, text: message.text })
    tools.attempted(job.handout, attempt, verdict)
  }

  /** Those who waited for a probe go before those who came after them. */
  function record(destination: string, outcome: Outcome): void {
    gate.record(destination, outcome)
    const back = held.get(destination)
    if (!back) return
    ready.unshift(...back)
    held.delete(destination)
  }

  function verdictOf(outcome: Outcome, attempt: number): Settlement['verdict'] {
    const verdict = decide(outcome, attempt, tools.policy, tools.random())
    return verdict.state === 'pending' ? pendingIn(verdict.delayMs) : verdict
  }

  function pendingIn(ms: number): Settlement['verdict'] {
    return { state: 'pending', at: clock.now() + ms }
  }

  /** Once for each; what comes later for the same delivery is too late. */
  function settle(job: Job, verdict: Settlement['verdict'], tried: { attempt: Attempt; text: string } | object = {}) {
    if (!live.delete(job)) return
    gate.leave(job.destination)
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

  /** What is on the wire ends as it would; what comes before the pause reaches storage is given back on arrival. */
  function pause(paused: boolean): void {
    if (state === 'draining') return
    state = paused ? 'paused' : 'open'
    if (paused) giveBack()
  }

  /** All but what is on the wire. */
  function giveBack(): void {
    for (const job of [...live]) if (!sending.has(job)) settle(job, { state: 'returned' })
    ready.length = 0
    held.clear()
    gate.abandon()
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

function itemOf({ handout, ackUrl }: Job): RenderItem {
  const { id, title, service, severity, status, sender, source, createdAt, content, notice } = handout
  const facts = { id, title, service, severity, status, sender, source, createdAt }
  return { content, facts, ...(ackUrl === undefined ? {} : { ackUrl }), ...(notice && { notice }) }
}
