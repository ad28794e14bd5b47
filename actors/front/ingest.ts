import type { CommitResult, Draft, Submission } from '../../src/domain/commit.ts'
import type { ErrorCode } from '../../src/domain/errors.ts'
import type { Payload, Recognized, Source } from '../../src/domain/incident.ts'
import type { Submit } from '../../src/http/contract.ts'
import type { Actor } from '../../src/kernel/cell.ts'
import type { Clock } from '../../src/kernel/clock.ts'
import type { Slot } from '../../src/kernel/mailbox.ts'
import type { Ref } from '../../src/kernel/ref.ts'
import type { TurnScheduler } from '../../src/kernel/turn-scheduler.ts'
import { packSubmissions } from '../../src/store/journal/codec.ts'
import type { Raise, Raised } from '../messages/agent.ts'
import type { Accept, AcceptAnswer, Commit, Committed } from '../messages/ingest-storage.ts'
import type { IngestMail } from '../messages/mailboxes.ts'

interface IngestDeps {
  readonly storage: Ref<Commit>
  recognise(payload: Payload): Recognized
  /** Index of this front, for the way back of replies. */
  readonly front: number
  /** A number that no batch of this front had before, whatever became of the actor that sent it. */
  nextBatch(): number
  storageUp(): boolean
  /** A new UUIDv7; later ones sort after earlier ones. */
  newId(): string
  readonly counts: IngestCounts
  readonly clock: Pick<Clock, 'elapsed'>
  /** A payload that no recogniser could stand: a fault of ours. */
  failed(error: unknown): void
  /** Tells the agent what became of an incident of its own. */
  raised(mail: Raised): void
}

/** Told of what has reached the disk. */
export interface IngestCounts {
  /** `ms`: from its way to storage to storage's word. */
  batch(incidents: number, ms: number): void
  accepted(source: Source, incidents: number): void
  /** A request that came again with its key. */
  duplicate(): void
}

/**
 * A request that waits for its commit: it keeps its place in the mailbox, so the mailbox bounds what is under way. What `JSON.parse` made
 * of it is let go: that may be many times its bytes.
 */
interface PendingRequest {
  readonly answer: Accept['answer']
  readonly slot: Slot
  readonly submission: Submission
}

interface Batch {
  readonly waiting: readonly PendingRequest[]
  /** On the clock's elapsed milliseconds. */
  readonly since: number
}

/**
 * Turns what arrived in one event-loop turn into one commit, and answers when storage says that it is on disk. When storage takes no more
 * it waits; meanwhile its mailbox fills and the front answers 503.
 */
export function ingestActor(deps: IngestDeps): Actor<IngestMail> {
  const committing = new Map<number, Batch>()
  let queued: PendingRequest[] = []
  let awaitingRoom = false

  function receive(batch: readonly IngestMail[], slots: readonly Slot[]): void {
    batch.forEach((mail, at) => handle(mail, slots[at] as Slot))
    commitQueued()
  }

  function handle(mail: IngestMail, slot: Slot): void {
    switch (mail.kind) {
      case 'accept':
        return accept(mail, slot)
      case 'raise':
        return accept(asAccept(mail), slot)
      case 'committed':
        slot.free()
        return committed(mail)
      case 'peer':
        slot.free()
        if (!mail.up) storageLost()
        return
      default:
        return mail satisfies never
    }
  }

  function accept(mail: Accept, slot: Slot): void {
    const { answer } = mail
    if (!deps.storageUp()) return reply({ answer, slot }, refused('storage_down'))
    try {
      queued.push({ answer, slot, submission: toSubmission(mail, deps) })
    } catch (error) {
      reply({ answer, slot }, refused('internal'))
      deps.failed(error)
    }
  }

  /** The agent's word is taken for an object: it made it. */
  function asAccept({ key, content, receivedAt }: Raise): Accept {
    const payload = JSON.parse(Buffer.from(content).toString()) as Payload
    const answer = (result: AcceptAnswer) => deps.raised({ kind: 'raised', key, answer: result })
    return { kind: 'accept', documents: [{ payload, bytes: content }], source: 'agent', receivedAt, key, answer }
  }

  function commitQueued(): void {
    if (queued.length === 0 || awaitingRoom) return
    if (deps.storage.room === 0) {
      awaitingRoom = true
      deps.storage.whenRoom(resume)
      return
    }
    const batch = deps.nextBatch()
    const submissions = packSubmissions(queued.map(({ submission }) => submission))
    committing.set(batch, { waiting: queued, since: deps.clock.elapsed() })
    queued = []
    deps.storage.tell(
      { kind: 'commit', front: deps.front, batch, submissions },
      submissions.map(({ contents }) => contents.buffer),
    )
  }

  function resume(): void {
    awaitingRoom = false
    commitQueued()
  }

  function committed({ batch, results }: Committed): void {
    const known = committing.get(batch)
    if (!known) return
    committing.delete(batch)
    let incidents = 0
    known.waiting.forEach((each, at) => {
      const result = results?.[at]
      incidents += count(each.submission, result)
      reply(each, answerOf(result, each.submission))
    })
    deps.counts.batch(incidents, deps.clock.elapsed() - known.since)
  }

  /** How many incidents of it are new on the disk. */
  function count({ drafts }: Submission, result: CommitResult | undefined): number {
    if (result?.kind === 'duplicate') deps.counts.duplicate()
    if (result !== undefined && result.kind !== 'created') return 0
    deps.counts.accepted(drafts[0]?.source ?? 'webhook', drafts.length)
    return drafts.length
  }

  /** Whether those batches reached the disk is unknown: their senders are told to come again, with the same key when they have one. */
  function storageLost(): void {
    const lost = [...queued, ...[...committing.values()].flatMap(({ waiting }) => waiting)]
    queued = []
    committing.clear()
    for (const each of lost) reply(each, refused('storage_down'))
  }

  /** One client's answer that fails keeps no other from its own. */
  function reply({ answer, slot }: Pick<PendingRequest, 'answer' | 'slot'>, result: AcceptAnswer): void {
    slot.free()
    try {
      answer(result)
    } catch (error) {
      deps.failed(error)
    }
  }

  return { receive, close: storageLost }
}

/** What is accepted and not committed may weigh, whatever its number. */
const MAX_INFLIGHT_BYTES = 64 * 1024 * 1024
/** What one incident weighs besides its bytes: its record, here and on its way to storage. */
const INCIDENT_BYTES = 1_024

/**
 * So many requests begin a commit before the turn is over: else all clients would be read, committed and answered in lockstep, and of front, disk and
 * clients only one would be at work at a time.
 */
const FLUSH_AFTER_REQUESTS = 32

/** The way in for requests: bounded by places (the edge's window) and by weight. */
export function submitTo(ingest: Ref<Accept>, scheduler: Pick<TurnScheduler, 'flushNow'>): Submit {
  let inflight = 0
  let sinceFlush = 0
  return (intake, answer) => {
    const size = intake.documents.reduce((sum, { bytes }) => sum + bytes.length + INCIDENT_BYTES, 0)
    if (inflight > 0 && inflight + size > MAX_INFLIGHT_BYTES) return false
    const taken = ingest.tell({
      kind: 'accept',
      source: 'webhook',
      ...intake,
      answer(result) {
        inflight -= size
        answer(result)
      },
    })
    if (taken) inflight += size
    sinceFlush++
    if (sinceFlush % FLUSH_AFTER_REQUESTS === 0) scheduler.flushNow()
    return taken
  }
}

function answerOf(result: CommitResult | undefined, { drafts }: Submission): AcceptAnswer {
  return result === undefined || result.kind === 'created' ? { kind: 'created', id: drafts[0]?.id ?? '' } : result
}

const refused = (code: ErrorCode): AcceptAnswer => ({ kind: 'refused', code })

function toSubmission(accept: Accept, { recognise, newId }: Pick<IngestDeps, 'recognise' | 'newId'>): Submission {
  const { source, receivedAt: createdAt, documents, key, overrides, origin } = accept
  const drafts = documents.map(({ payload, bytes }): Draft => {
    const { sender, title, service, severity, status, fingerprint } = recognise(payload)
    return {
      id: newId(),
      source,
      createdAt,
      content: bytes,
      sender,
      title,
      service,
      severity,
      status,
      fingerprint,
    }
  })
  return {
    drafts,
    ...(key === undefined ? {} : { key }),
    ...(overrides === undefined ? {} : { overrides }),
    ...(origin === undefined ? {} : { origin }),
  }
}
