import type { Circuits } from '../../src/channels/destination/circuit-breakers.ts'
import type { Attempt, Outcome } from '../../src/domain/delivery.ts'
import type { Page, Told } from '../../src/domain/oncall.ts'
import { decide, type RetryPolicy } from '../../src/domain/retry.ts'
import type { Actor } from '../../src/kernel/cell.ts'
import type { Clock } from '../../src/kernel/clock.ts'
import type { Place } from '../../src/kernel/mailbox.ts'
import type { Ref } from '../../src/kernel/ref.ts'
import { Outbox } from '../../src/kernel/send-buffer.ts'
import type { Provider } from '../../src/oncall/provider.ts'
import type { OncallMail } from '../messages/mailboxes.ts'
import type { PageTold } from '../messages/storage-pager.ts'

export interface OncallTools {
  readonly provider: Provider
  readonly storage: Ref<PageTold>
  readonly circuits: Circuits
  readonly policy: RetryPolicy
  /** Requests under way at once. */
  readonly concurrency: number
  /** Deadline of one attempt, from connecting to the provider's answer. */
  readonly timeoutMs: number
  /** What requests under way are given when the actor is drained; then they end as they do at their deadline. */
  readonly drainMs: number
  readonly clock: Clock
  /** Uniform in [0, 1), for the jitter. */
  random(): number
  /** After every attempt. */
  attempted(page: Page, attempt: Attempt, verdict: Told['verdict']): void
  /** A fault of ours; the pages concerned are tried again. */
  failed(error: unknown): void
}

const FAULT_PAUSE_MS = 1_000
/** Those who come while a probe is out ask again soon: its answer is about to decide. */
const PROBE_POLL_MS = 1_000

/** A page on its way; its place is freed by what it came to. */
interface Job {
  readonly page: Page
  readonly place: Place
  /** The life of storage that handed it out; a later one has handed it out anew. */
  readonly era: number
}

/** Tells the provider what storage hands it, in that order, and tells storage what came of it. */
export function oncallActor(tools: OncallTools): Actor<OncallMail> {
  const { provider, circuits, clock } = tools
  const outcomes = new Outbox(tools.storage)
  const waiting: Job[] = []
  /** On the wire, each with its deadline. */
  const telling = new Map<Job, AbortController>()
  let state: 'open' | 'draining' = 'open'
  let era = 0
  let emptied = () => {}

  function receive(batch: readonly OncallMail[], places: readonly Place[]): void {
    batch.forEach((mail, at) => take(mail, places[at] as Place))
    startNext()
  }

  function take(mail: OncallMail, place: Place): void {
    switch (mail.kind) {
      case 'page':
        waiting.push({ page: mail.page, place, era })
        return
      case 'peer':
        place.settle()
        if (!mail.up) storageLost()
        return
      default:
        mail satisfies never
    }
  }

  function startNext(): void {
    if (state === 'draining') return giveBack()
    while (telling.size < tools.concurrency) {
      const job = waiting.shift()
      if (!job) return
      const deadline = new AbortController()
      telling.set(job, deadline)
      void tell(job, deadline)
    }
  }

  async function tell(job: Job, deadline: AbortController): Promise<void> {
    const told = await toldOf(job, deadline).catch((error): Told => {
      tools.failed(error)
      return { incident: job.page.incident, verdict: pendingIn(FAULT_PAUSE_MS) }
    })
    telling.delete(job)
    settle(job, told)
    startNext()
    if (telling.size === 0) emptied()
  }

  async function toldOf({ page }: Job, deadline: AbortController): Promise<Told> {
    const destination = provider.destination(page)
    const admission = circuits.admit(destination)
    if (admission.kind === 'open') return { incident: page.incident, verdict: pendingIn(admission.retryAfterMs) }
    if (admission.kind === 'probing') return { incident: page.incident, verdict: pendingIn(PROBE_POLL_MS) }
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
    tools.attempted(page, attempt, verdict)
    return { incident: page.incident, verdict, attempt }
  }

  /** What a provider throws is a fault of ours, and nobody knows how far the page got. */
  async function outcomeOf(page: Page, deadline: AbortController, onConnected: () => void): Promise<Outcome> {
    const timer = clock.setTimer(tools.timeoutMs, () => deadline.abort())
    try {
      return await provider.tell(page, deadline.signal, onConnected)
    } catch (error) {
      tools.failed(error)
      return { kind: 'retry', reason: 'internal fault of the on-call provider', mayDuplicate: true }
    } finally {
      timer.cancel()
    }
  }

  function verdictOf(page: Page, outcome: Outcome): Told['verdict'] {
    const verdict = decide(outcome, page.attempt, tools.policy, tools.random())
    return verdict.state === 'pending' ? pendingIn(verdict.delayMs) : verdict
  }

  function pendingIn(ms: number): Told['verdict'] {
    return { state: 'pending', at: clock.now() + ms }
  }

  function settle({ place, era: since }: Job, told: Told): void {
    if (since === era) outcomes.tell({ kind: 'told', told }, () => place.settle())
    else place.settle()
  }

  /** The next storage finds in its database what was under way, and hands it out again. */
  function storageLost(): void {
    era++
    outcomes.clear()
    giveBack()
  }

  function giveBack(): void {
    for (const job of waiting.splice(0)) settle(job, { incident: job.page.incident, verdict: { state: 'returned' } })
  }

  return {
    receive,
    deadLetter(mail) {
      if (mail.kind !== 'page') return
      const told = { incident: mail.page.incident, verdict: pendingIn(FAULT_PAUSE_MS) }
      outcomes.tell({ kind: 'told', told }, () => {})
    },
    async drain() {
      state = 'draining'
      giveBack()
      const cut = clock.setTimer(tools.drainMs, () => {
        for (const deadline of telling.values()) deadline.abort()
      })
      while (telling.size > 0)
        await new Promise<void>((resolve) => {
          emptied = resolve
        })
      cut.cancel()
      await new Promise<void>((resolve) => outcomes.whenIdle(resolve))
    },
    close() {
      state = 'draining'
      giveBack()
    },
  }
}

/** The line of the ledger, which names the signal. */
function attemptOf(
  { signal, attempt, mayDuplicate, handedOutAt }: Page,
  outcome: Outcome,
  measured: Pick<Attempt, 'startedAt' | 'durationMs' | 'connectedMs'>,
): Attempt {
  const said = outcome.kind === 'sent' ? outcome.note : outcome.reason
  return {
    number: attempt,
    ...measured,
    outcome: outcome.kind,
    detail: said === undefined ? signal : `${signal}: ${said}`,
    mayDuplicate: mayDuplicate || (outcome.kind === 'retry' && outcome.mayDuplicate === true),
    ...{ handedOutAt, renderMs: 0, limiterWaitMs: 0 },
  }
}
