import type { CommitResult, Draft, Submission } from '../../src/domain/commit.ts'
import type { ErrorCode } from '../../src/domain/errors.ts'
import type { Payload, Recognized, Source } from '../../src/domain/incident.ts'
import type { IntakeAnswer } from '../../src/http/contract.ts'
import type { Actor } from '../../src/kernel/cell.ts'
import type { Clock } from '../../src/kernel/clock.ts'
import type { Slot } from '../../src/kernel/mailbox.ts'
import type { Ref } from '../../src/kernel/ref.ts'
import { packSubmissions } from '../../src/store/journal/codec.ts'
import type { Raise, Raised } from '../messages/agent.ts'
import type { Accept, Commit, Committed } from '../messages/ingest-storage.ts'
import type { IngestMail } from '../messages/mailboxes.ts'

interface IngestDeps {
  readonly storage: Ref<Commit>
  recognise(payload: Payload): Recognized
  /** Index of this front in `StoreBoot.fronts`: replies go there. */
  readonly front: number
  /** Returns a number that no batch of this front had before, in any incarnation. */
  nextBatch(): number
  storageUp(): boolean
  /** Returns a new UUIDv7. Later ones sort after earlier ones. */
  newId(): string
  readonly counts: IngestCounts
  readonly clock: Pick<Clock, 'elapsed'>
  /** Reports a bug: recognising a payload, or a caller's `answer`, threw. */
  failed(error: unknown): void
  /** Answers the agent. */
  raised(mail: Raised): void
}

/** Counts what is on disk. */
export interface IngestCounts {
  /** One batch. `ms`: from sending it to storage's answer. */
  batch(incidents: number, ms: number): void
  accepted(source: Source, incidents: number): void
  /** One request that repeated its Idempotency-Key. */
  duplicate(): void
}

/**
 * A request that waits for its commit. It keeps its slot in the mailbox, so the mailbox bounds what is under way. The
 * parsed payload is dropped: it may take many times the memory of its bytes.
 */
interface PendingRequest {
  readonly answer: Accept['answer']
  readonly slot: Slot
  readonly submission: Submission
}

interface Batch {
  readonly waiting: readonly PendingRequest[]
  /** Monotonic milliseconds. */
  readonly since: number
}

/**
 * Recognises incidents and commits them in groups: the requests of one event-loop turn become one batch for storage,
 * and are answered when the batch is on disk. While the edge to storage is full, requests stay here; then the mailbox
 * fills, and the front answers 503.
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

  /** The content is not checked again: the agent wrote it. */
  function asAccept({ key, content, receivedAt }: Raise): Accept {
    const payload = JSON.parse(Buffer.from(content).toString()) as Payload
    const answer = (result: IntakeAnswer) => deps.raised({ kind: 'raised', key, answer: result })
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

  /** Counts one request; returns the number of its incidents that are new on disk. */
  function count({ drafts }: Submission, result: CommitResult | undefined): number {
    if (result?.kind === 'duplicate') deps.counts.duplicate()
    if (result !== undefined && result.kind !== 'created') return 0
    deps.counts.accepted(drafts[0]?.source ?? 'webhook', drafts.length)
    return drafts.length
  }

  /**
   * Answers all requests 503 storage_down. Batches under way may be on disk all the same: clients that repeat with
   * their key get no duplicate.
   */
  function storageLost(): void {
    const lost = [...queued, ...[...committing.values()].flatMap(({ waiting }) => waiting)]
    queued = []
    committing.clear()
    for (const each of lost) reply(each, refused('storage_down'))
  }

  /** Catches what `answer` throws, so that the other clients get their answers. */
  function reply({ answer, slot }: Pick<PendingRequest, 'answer' | 'slot'>, result: IntakeAnswer): void {
    slot.free()
    try {
      answer(result)
    } catch (error) {
      deps.failed(error)
    }
  }

  return { receive, close: storageLost }
}

function answerOf(result: CommitResult | undefined, { drafts }: Submission): IntakeAnswer {
  return result === undefined || result.kind === 'created' ? { kind: 'created', id: drafts[0]?.id ?? '' } : result
}

const refused = (code: ErrorCode): IntakeAnswer => ({ kind: 'refused', code })

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
