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
import type { Ref } from '../src/kernel/ref.ts'
import type { Rendered, RenderItem } from '../src/render/pool.ts'
import type { SenderMail, Settle } from './messages.ts'

export interface SenderTools {
  readonly channel: Channel
  /** Its window is this mailbox's capacity, so while storage is up a settlement always finds room. */
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
}

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

export interface Sender extends Actor<SenderMail> {
  /** Gives back what has not been started, and waits for the sends under way, which their deadline bounds. */
  drain(): Promise<void>
}

/** One channel: render -> wait for the destination's rate -> wait for a free line -> send -> settle. Starts in the order of hand-out. */
export function senderActor(tools: SenderTools): Sender {
  const { channel, storage, limiter, circuits, clock } = tools
  const stopping = new AbortController()
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
          if (!mail.up) era++
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
    const rendered = await tools.render(jobs.map(({ handout }) => itemOf(handout)))
    jobs.forEach((job, at) => track(queue(job, rendered[at] as Rendered)))
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
    const outcome = await channel.send(job.message, AbortSignal.timeout(tools.timeoutMs))
    const attempt = attemptOf(job, outcome, { startedAt, durationMs: clock.elapsed() - began })
    circuits.record(job.destination, outcome)
    const verdict = verdictOf(outcome, job.handout.attempt)
    tools.attempted(job.handout, attempt, verdict)
    settle(job, verdict, attempt)
  }

  function verdictOf(outcome: Outcome, attempt: number): Settlement['verdict'] {
    const verdict = decide(outcome, attempt, tools.policy, tools.random())
    return verdict.state === 'pending' ? { state: 'pending', at: clock.now() + verdict.delayMs } : verdict
  }

  function settle(job: Job & { rendered?: Rendered }, verdict: Settlement['verdict'], attempt?: Attempt): void {
    const { incident, channel } = job.handout
    const text = job.rendered && verdict.state !== 'returned' ? { text: job.rendered.text } : {}
    if (job.era === era) {
      storage.tell({ kind: 'settle', settlement: { incident, channel, verdict, ...text, ...(attempt && { attempt }) } })
    }
    job.place.settle()
  }

  return {
    receive,
    async drain() {
      stopping.abort()
      while (underWay.size > 0) await Promise.all(underWay)
    },
    async close() {
      stopping.abort()
      await channel.close()
    },
  }
}

function itemOf({ id, title, service, severity, status, createdAt, content }: Handout): RenderItem {
  return { content, facts: { id, title, service, severity, status, createdAt } }
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
