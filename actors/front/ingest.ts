import type { ErrorCode } from '../../src/domain/errors.ts'
import type { Source } from '../../src/domain/incident.ts'
import { incidentId } from '../../src/domain/incident-id.ts'
import type { Intake, IntakeAnswer, Submitted } from '../../src/http/contract.ts'
import type { Actor } from '../../src/kernel/cell.ts'
import type { Clock, Timer } from '../../src/kernel/clock.ts'
import type { Slot } from '../../src/kernel/mailbox.ts'
import type { Ref } from '../../src/kernel/ref.ts'
import type { TurnScheduler } from '../../src/kernel/turn-scheduler.ts'
import type { Raise, Raised } from '../messages/agent.ts'
import type { Commit, Committed, RequestResult } from '../messages/ingest-journal.ts'
import type { IngestMail } from '../messages/mailboxes.ts'
import { type Lane, laneTo, release } from './lane.ts'
import type { OpenFrame } from './open-frames.ts'

interface IngestDeps {
  /** To the journal, for frames of requests without a key. */
  readonly plain: Ref<Commit>
  /** To the journal, for frames of requests with a key. */
  readonly keyed: Ref<Commit>
  /** Index of this front in `JournalBoot.fronts`: replies go there. */
  readonly front: number
  /** Returns a number that no batch of this front had before, in any incarnation. */
  nextBatch(): number
  journalUp(): boolean
  /** Largest number of requests that wait for the disk. */
  readonly maxInflight: number
  /** Requests whose outcome is not known after this time are answered 503; Infinity: they wait as long as the disk. */
  readonly answerWithinMs: number
  readonly counts: IngestCounts
  readonly clock: Pick<Clock, 'elapsed' | 'setTimer'>
  readonly scheduler: Pick<TurnScheduler, 'runActor' | 'flushLinks'>
  /** Reports a bug: the `answer` of a request threw. */
  failed(error: unknown): void
  /** Answers the agent. */
  raised(mail: Raised): void
}

/** Counts what is on disk. */
export interface IngestCounts {
  /** One batch. `ms`: from sending it to the journal's answer. */
  batch(incidents: number, ms: number): void
  accepted(source: Source, incidents: number): void
  /** One request that repeated its Idempotency-Key. */
  duplicate(): void
}

interface Batch {
  readonly lane: Lane
  readonly frame: OpenFrame
  /** Monotonic milliseconds. */
  readonly since: number
}

/** Upper bound in bytes for requests that wait for the disk. One request is always let in, however large. */
const MAX_INFLIGHT_BYTES = 64 * 1024 * 1024
/** Estimate of what one incident occupies beside its body. */
const INCIDENT_BYTES = 16
/**
 * A frame of this size is committed at once instead of at the end of the event-loop turn, so that reading, fsync and
 * clients overlap. Otherwise all clients would be read, committed and answered in lockstep.
 */
const FIRST = { requests: 32, bytes: 64 * 1024 }
/** The same while frames are under way already: larger ones cost less for each request. */
const NEXT = { requests: 128, bytes: 256 * 1024 }

/**
 * Takes requests and commits them in groups. A request that was submitted is
 *
 * - open: in a frame that is not sent yet; leaves to committing at the end of the turn, or later when its edge to the
 *   journal is full; then `submit` refuses when the bounds of requests or bytes are reached
 * - committing: in a frame on its way to the disk; leaves to answered
 * - answered: with the journal's answer, or with storage_down when the journal's thread ends or `answerWithinMs` are over.
 *   The oldest request of a frame decides for all of the frame. One that was sent keeps its room until the journal answers
 */
export class Ingest implements Actor<IngestMail> {
  readonly #deps: IngestDeps
  readonly #plain: Lane
  /**
   * The journal holds frames with keys back until the keys are looked up. So they may take half of the bounds: while the
   * database is slow, requests without a key still find room.
   */
  readonly #keyed: Lane
  readonly #committing = new Map<number, Batch>()
  #refused = 0
  #scheduled = false
  #timer: Timer | undefined

  constructor(deps: IngestDeps) {
    this.#deps = deps
    this.#plain = laneTo(deps.plain, deps.maxInflight, MAX_INFLIGHT_BYTES)
    this.#keyed = laneTo(deps.keyed, Math.ceil(deps.maxInflight / 2), MAX_INFLIGHT_BYTES / 2)
  }

  /** Number of requests that are not answered yet. */
  get inflight(): number {
    return this.#plain.inflight + this.#keyed.inflight
  }

  /** Number of requests that found no room. */
  get refused(): number {
    return this.#refused
  }

  /** Takes a request, if there is room. */
  submit(intake: Intake, body: Uint8Array): Submitted {
    if (this.#hasRoom(this.#laneOf(intake), body.length)) return this.#open(intake, body)
    this.#refused++
    return 'ingest_full'
  }

  #hasRoom(lane: Lane, bytes: number): boolean {
    const inflightBytes = this.#plain.inflightBytes + this.#keyed.inflightBytes
    return (
      this.inflight < this.#deps.maxInflight &&
      lane.inflight < lane.maxInflight &&
      (this.inflight === 0 || inflightBytes + bytes <= MAX_INFLIGHT_BYTES) &&
      (lane.inflight === 0 || lane.inflightBytes + bytes <= lane.maxInflightBytes)
    )
  }

  #laneOf({ key }: Pick<Intake, 'key'>): Lane {
    return key === undefined ? this.#plain : this.#keyed
  }

  receive(batch: readonly IngestMail[], slots: readonly Slot[]): void {
    batch.forEach((mail, at) => this.#handle(mail, slots[at] as Slot))
  }

  /**
   * Answers all requests 503 storage_down. Batches under way may be on disk all the same: clients that repeat with
   * their key get no duplicate.
   */
  close(): void {
    this.#timer?.cancel()
    this.#timer = undefined
    const committing = [...this.#committing.values()].flatMap(({ frame }) => frame.intakes)
    this.#committing.clear()
    const lost = [...committing, ...this.#plain.frames.clear(), ...this.#keyed.frames.clear()]
    for (const lane of [this.#plain, this.#keyed]) {
      lane.inflight = 0
      lane.inflightBytes = 0
    }
    for (const intake of lost) this.#answer(intake, refused('storage_down'))
  }

  #handle(mail: IngestMail, slot: Slot): void {
    switch (mail.kind) {
      case 'raise':
        return this.#raise(mail, slot)
      case 'committed':
        slot.free()
        return this.#committed(mail)
      case 'peer':
        slot.free()
        if (!mail.up) this.close()
        return
      default:
        return mail satisfies never
    }
  }

  /** Keeps the slot until the answer. */
  #raise({ key, content, receivedAt }: Raise, slot: Slot): void {
    const { raised } = this.#deps
    const answer = (result: IntakeAnswer) => {
      slot.free()
      raised({ kind: 'raised', key, answer: result })
    }
    const submitted = this.#open({ format: 'json', source: 'agent', key, receivedAt, answer }, content)
    if (submitted !== 'taken') answer(refused(submitted === 'invalid' ? 'internal' : submitted))
  }

  #open(intake: Intake, body: Uint8Array): Submitted {
    if (!this.#deps.journalUp()) return 'storage_down'
    const lane = this.#laneOf(intake)
    const frame = lane.frames.add(intake, body)
    if (frame === undefined) return 'invalid'
    const bytes = body.length + INCIDENT_BYTES * (frame.columns.counts.at(-1) ?? 0)
    frame.heldBytes += bytes
    lane.inflightBytes += bytes
    lane.inflight++
    if (frame.answerBy === undefined) {
      frame.answerBy = this.#deps.clock.elapsed() + this.#deps.answerWithinMs
      this.#awaitLate(frame.answerBy)
    }
    const { requests, bytes: most } = this.#committing.size === 0 ? FIRST : NEXT
    if (frame.intakes.length >= requests || frame.bytes >= most) this.#commitNow()
    else this.#schedule()
    return 'taken'
  }

  #commitNow(): void {
    this.#commitOpen()
    this.#deps.scheduler.flushLinks()
  }

  #schedule(): void {
    if (this.#scheduled) return
    this.#scheduled = true
    this.#deps.scheduler.runActor(() => {
      this.#scheduled = false
      this.#commitOpen()
    })
  }

  #commitOpen(): void {
    this.#commitLane(this.#plain)
    this.#commitLane(this.#keyed)
  }

  #commitLane(lane: Lane): void {
    const { frames, journal } = lane
    while (!lane.awaitingRoom && frames.oldest !== undefined) {
      if (journal.room > 0) this.#commit(lane)
      else this.#awaitRoom(lane)
    }
  }

  #awaitRoom(lane: Lane): void {
    lane.awaitingRoom = true
    lane.journal.whenRoom(() => {
      lane.awaitingRoom = false
      this.#commitLane(lane)
    })
  }

  #awaitLate(at: number): void {
    if (at === Infinity) return
    const { clock } = this.#deps
    this.#timer ??= clock.setTimer(at - clock.elapsed(), () => this.#refuseLate())
  }

  /** Frames under way may be on disk all the same; the others are not sent any more. */
  #refuseLate(): void {
    const now = this.#deps.clock.elapsed()
    for (const { frame } of this.#committing.values()) if (frame.isLate(now)) this.#giveUp(frame)
    for (const lane of [this.#plain, this.#keyed])
      while (lane.frames.oldest?.isLate(now)) {
        const { frame } = lane.frames.takeOldest()
        release(lane, frame)
        this.#giveUp(frame)
      }
    const open = [this.#plain, this.#keyed].map(({ frames }) => frames.oldest)
    const waiting = [...Array.from(this.#committing.values(), ({ frame }) => frame), ...open]
    // Not before: a request that an answer leads to would set it too late for those that wait already.
    this.#timer = undefined
    this.#awaitLate(Math.min(...waiting.map((frame) => frame?.answerBy ?? Infinity)))
  }

  #giveUp(frame: OpenFrame): void {
    for (const intake of frame.takeAnswers()) this.#answer(intake, refused('storage_down'))
  }

  #commit(lane: Lane): void {
    const { frames, journal } = lane
    const { front, nextBatch, clock } = this.#deps
    const batch = nextBatch()
    const { frame, encoded } = frames.takeOldest()
    this.#committing.set(batch, { lane, frame, since: clock.elapsed() })
    journal.tell({ kind: 'commit', front, batch, frame: encoded }, [encoded.buffer])
  }

  #committed({ batch, first, idPrefix, results }: Committed): void {
    const known = this.#committing.get(batch)
    if (known === undefined) return
    this.#committing.delete(batch)
    const { counts, clock } = this.#deps
    const { intakes, many, columns } = known.frame
    release(known.lane, known.frame)
    let number = first
    intakes.forEach((intake, at) => {
      const result = results === undefined ? CREATED : (results[at] ?? UNREAD)
      if (result.kind === 'duplicate') counts.duplicate()
      if (result.kind !== 'created') return this.#answer(intake, result)
      const count = columns.counts[at] as number
      this.#answer(intake, { kind: 'created', id: incidentId(idPrefix, number), count: many[at] ? count : undefined })
      counts.accepted(intake.source, count)
      number += count
    })
    counts.batch(number - first, clock.elapsed() - known.since)
  }

  /** Catches what `answer` throws, so that the other clients get their answers. */
  #answer(intake: Intake, result: IntakeAnswer): void {
    try {
      intake.answer(result)
    } catch (error) {
      this.#deps.failed(error)
    }
  }
}

const CREATED: RequestResult = { kind: 'created' }
const refused = (code: ErrorCode) => ({ kind: 'refused' as const, code })
/** Result of a request in a frame that the journal could not read. */
const UNREAD = refused('internal')
