import type { Channel } from '../src/channels/channel.ts'
import type { Circuits } from '../src/channels/circuit.ts'
import type { Limiter } from '../src/channels/limiter.ts'
import type { Handout, Settlement } from '../src/domain/commit.ts'
import type { Attempt, Outcome } from '../src/domain/delivery.ts'
import type { Message } from '../src/domain/message.ts'
import { decide, type RetryPolicy } from '../src/domain/retry.ts'
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
  readonly limiter: Limiter
  readonly circuits: Circuits
  readonly policy: RetryPolicy
  /** Sends under way at once. */
  readonly concurrency: number
  /** Deadline of one attempt, from connecting to the provider's answer. */
  readonly timeoutMs: number
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
  /** The life of storage that handed it out; a later one has handed it out anew. */
  readonly era: number
}
interface Ready extends Job {
  readonly message: Message
  readonly rendered: Rendered
  readonly destination: string
  readonly limiterWaitMs: number
}

/** One channel: render -> wait for the destination's rate -> wait for a free line -> send -> settle. Starts in the order of hand-out. */
export function senderActor(tools: SenderTools): Actor<SenderMail> {
  const { channel, storage, limiter, circuits, clock } = tools
  const stopping = new AbortController()
  const settlements = new Outbox(storage)
  const underWay = new Set<Promise<void>>()
  const ready: Ready[] = []
  let sending = 0
  let era = 0

  function receive(batch: readonly SenderMail[], places: readonly Place[]): void {
    const jobs: Job[] = []
    batch.forEach((mail, at) => {
      const place = places[at] as Place
      switch (mail.kind) {
        case 'deliver':
          jobs.push({ handout: mail.handout, place, era })
          return
        case 'peer':
          place.settle()
          if (!mail.up) storageLost()
          return
        default:
          mail satisfies never
      }
    })
    if (jobs.length > 0) track(renderAll(jobs))
  }

  function track(work: Promise<void>): void {
    underWay.add(work)
    work.finally(() => underWay.delete(work))
  }

  async function renderAll(jobs: readonly Job[]): Promise<void> {
    try {
      const rendered = await tools.render(jobs.map(({ handout }) => itemOf(handout)))
      jobs.forEach((job, at) => track(queue(job, rendered[at] as Rendered)))
    } catch (error) {
      tools.failed(error)
      for (const job of jobs) settle(job, { state: 'pending', at: clock.now() + FAULT_PAUSE_MS })
    }
  }

  async function queue(job: Job, rendered: Rendered): Promise<void> {
    const message = messageOf(job.handout, rendered)
    const destination = channel.destination(message)
    try {
      const limiterWaitMs = await limiter.take(destination, stopping.signal)
      ready.push({ ...job, message, rendered, destination, limiterWaitMs })
      startNext()
    } catch {
      settle(job, { state: 'returned' })
    }
  }

  function startNext(): void {
    while (sending < tools.concurrency) {
      const job = ready.shift()
      if (!job) return
      sending++
      track(
        sendOne(job).finally(() => {
          sending--
          startNext()
        }),
      )
    }
  }

  async function sendOne(job: Ready): Promise<void> {
    if (stopping.signal.aborted || job.era !== era) return settle(job, { state: 'returned' })
    const admission = circuits.admit(job.destination)
    if (!admission.ok) return settle(job, { state: 'pending', at: clock.now() + admission.retryAfterMs })
    const startedAt = clock.now()
    const began = clock.elapsed()
    const outcome = await channel.send(job.message, AbortSignal.timeout(tools.timeoutMs)).catch(fault)
    const attempt = attemptOf(job, outcome, { startedAt, durationMs: clock.elapsed() - began })
    circuits.record(job.destination, outcome)
    if (outcome.kind === 'retry' && outcome.afterMs) limiter.pause(job.destination, outcome.afterMs)
    const verdict = verdictOf(outcome, job.handout.attempt)
    tools.attempted(job.handout, attempt, verdict)
    settle(job, verdict, { attempt, text: job.message.text })
  }

  /** A channel answers with outcomes; what it throws is a fault of ours, and nobody knows how far the message got. */
  function fault(error: unknown): Outcome {
    tools.failed(error)
    return { kind: 'retry', reason: 'internal fault of the channel', mayDuplicate: true }
  }

  function verdictOf(outcome: Outcome, attempt: number): Settlement['verdict'] {
    const verdict = decide(outcome, attempt, tools.policy, tools.random())
    return verdict.state === 'pending' ? { state: 'pending', at: clock.now() + verdict.delayMs } : verdict
  }

  function settle(
    job: Job,
    verdict: Settlement['verdict'],
    tried: { attempt: Attempt; text: string } | object = {},
  ): void {
    const { incident, channel } = job.handout
    if (job.era !== era) return job.place.settle()
    const settlement: Settlement = { incident, channel, verdict, ...tried }
    settlements.tell({ kind: 'settle', settlement }, () => job.place.settle())
  }

  /** The next storage finds these deliveries under way in its database and hands them out again, flagged. */
  function storageLost(): void {
    era++
    settlements.clear()
  }

  return {
    receive,
    async drain() {
      stopping.abort()
      while (underWay.size > 0) await Promise.all(underWay)
      await new Promise<void>((resolve) => settlements.whenIdle(resolve))
    },
    async close() {
      stopping.abort()
      await channel.close()
    },
  }
}

function itemOf(handout: Handout): RenderItem {
  const { id, title, service, severity, status, sender, source, createdAt, content } = handout
  return { content, facts: { id, title, service, severity, status, sender, source, createdAt } }
}

function messageOf(handout: Handout, { text, subject }: Rendered): Message {
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

function attemptOf(job: Ready, outcome: Outcome, time: { startedAt: number; durationMs: number }): Attempt {
  const { handout, rendered, limiterWaitMs } = job
  return {
    number: handout.attempt,
    startedAt: time.startedAt,
    durationMs: time.durationMs,
    outcome: outcome.kind,
    detail: outcome.kind === 'sent' ? (outcome.note ?? '') : outcome.reason,
    ...(outcome.kind === 'sent' && outcome.messageId !== undefined ? { messageId: outcome.messageId } : {}),
    mayDuplicate: handout.mayDuplicate || (outcome.kind === 'retry' && outcome.mayDuplicate === true),
    ...(rendered.fault === undefined ? {} : { renderFault: rendered.fault }),
    renderMs: rendered.renderMs,
    limiterWaitMs,
  }
}
