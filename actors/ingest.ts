import type { CommitResult, Draft, Submission } from '../src/domain/commit.ts'
import type { ErrorCode } from '../src/domain/errors.ts'
import type { Payload, Recognized } from '../src/domain/incident.ts'
import { packSubmissions } from '../src/domain/packing.ts'
import type { Submit } from '../src/http/front.ts'
import type { Actor } from '../src/kernel/actor.ts'
import type { Place } from '../src/kernel/mailbox.ts'
import type { Ref } from '../src/kernel/ref.ts'
import type { Accept, AcceptAnswer, Commit, Committed, IngestMail } from './messages.ts'

export interface IngestTools {
  readonly storage: Ref<Commit>
  recognise(payload: Payload): Recognized
  /** A number that no batch had before, whatever became of the actor that sent it. */
  nextBatch(): number
  storageUp(): boolean
  /** A new UUIDv7; later ones sort after earlier ones. */
  newId(): string
  /** A payload that no recogniser could stand: a fault of ours. */
  failed(error: unknown): void
}

/** A request that waits for its commit: it keeps its place in the mailbox, so the mailbox bounds what is under way. */
interface Waiting {
  readonly accept: Accept
  readonly place: Place
  readonly recognized: readonly Recognized[]
  readonly ids: readonly string[]
}

/**
 * Turns what arrived in one event-loop turn into one commit, and answers when storage says that it is on disk. When storage takes no more
 * it waits; meanwhile its mailbox fills and the front answers 503.
 */
export function ingestActor(tools: IngestTools): Actor<IngestMail> {
  const committing = new Map<number, readonly Waiting[]>()
  let held: Waiting[] = []
  let awaitingRoom = false

  function receive(batch: readonly IngestMail[], places: readonly Place[]): void {
    batch.forEach((mail, at) => take(mail, places[at] as Place))
    commitHeld()
  }

  function take(mail: IngestMail, place: Place): void {
    switch (mail.kind) {
      case 'accept':
        return accept(mail, place)
      case 'committed':
        place.settle()
        return committed(mail)
      case 'peer':
        place.settle()
        if (!mail.up) storageLost()
        return
      default:
        return mail satisfies never
    }
  }

  function accept(mail: Accept, place: Place): void {
    if (!tools.storageUp()) return refuse(mail, place, 'storage_down')
    try {
      const recognized = mail.documents.map(({ payload }) => tools.recognise(payload))
      held.push({ accept: mail, place, recognized, ids: recognized.map(() => tools.newId()) })
    } catch (error) {
      refuse(mail, place, 'internal')
      tools.failed(error)
    }
  }

  function commitHeld(): void {
    if (held.length === 0 || awaitingRoom) return
    if (tools.storage.room === 0) {
      awaitingRoom = true
      tools.storage.whenRoom(resume)
      return
    }
    const batch = tools.nextBatch()
    const submissions = packSubmissions(held.map(submission))
    committing.set(batch, held)
    held = []
    tools.storage.tell({ kind: 'commit', batch, submissions }, [submissions.contents.buffer])
  }

  function resume(): void {
    awaitingRoom = false
    commitHeld()
  }

  function committed({ batch, results }: Committed): void {
    const waiting = committing.get(batch)
    committing.delete(batch)
    waiting?.forEach(({ accept, place, ids }, at) => {
      place.settle()
      accept.answer(answerOf(results?.[at], ids[0] as string))
    })
  }

  /** Whether those batches reached the disk is unknown: their senders are told to come again, with the same key when they have one. */
  function storageLost(): void {
    const lost = [...held, ...[...committing.values()].flat()]
    held = []
    committing.clear()
    for (const { accept, place } of lost) refuse(accept, place, 'storage_down')
  }

  return { receive, close: storageLost }
}

/** Bodies that are accepted and not committed, in bytes, whatever their number. */
const MAX_INFLIGHT_BYTES = 64 * 1024 * 1024

/** The front's way in: bounded by places (the edge's window) and by bytes. */
export function submitTo(ingest: Ref<Accept>): Submit {
  let inflight = 0
  return (intake, answer) => {
    const size = intake.documents.reduce((sum, { bytes }) => sum + bytes.length, 0)
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
    return taken
  }
}

function answerOf(result: CommitResult | undefined, id: string): AcceptAnswer {
  return result === undefined || result.kind === 'created' ? { kind: 'created', id } : result
}

function refuse(accept: Accept, place: Place, code: ErrorCode): void {
  place.settle()
  accept.answer({ kind: 'refused', code })
}

function submission({ accept, recognized, ids }: Waiting): Submission {
  const { source, receivedAt: createdAt, documents, key, overrides } = accept
  const drafts = documents.map(({ bytes }, at): Draft => {
    const { sender, title, service, severity, status, fingerprint } = recognized[at] as Recognized
    return {
      id: ids[at] as string,
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
  return { drafts, ...(key === undefined ? {} : { key }), ...(overrides === undefined ? {} : { overrides }) }
}
