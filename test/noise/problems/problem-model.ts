import type { Status } from '../../../src/domain/incident.ts'
import { severityRank } from '../../../src/domain/severity.ts'
import { ACKNOWLEDGED_MS } from '../../../src/policy/repeat.ts'

const MINUTE = 60_000

/** An incident as it was applied; times in epoch milliseconds. */
interface ModelIncident {
  readonly seq: number
  readonly id: string
  readonly fingerprint: string
  readonly status: Status
  readonly severity: string
  readonly sender: string
  readonly at: number
  /** By the clock of its sender; undefined: unknown. */
  readonly changedAt?: number | undefined
}

interface Ending {
  readonly by: 'sender' | 'person' | 'quiet'
  readonly at: number
}

/** A column of the table, or of incidents, is one of these. */
type Value = string | number | null

/**
 * Problems as a person would keep them on paper: for each fingerprint the list of its incidents, and since when it fires.
 * Everything is counted again from the lists when it is asked for.
 */
export class ProblemModel {
  /** Problems that quiet has ended so far. */
  quietEnds = 0
  readonly #incidents: ModelIncident[] = []
  readonly #resolved = new Map<number, { readonly at: number; readonly by: string | null }>()
  readonly #notes = new Map<string, Note>()

  arrive(incident: ModelIncident): void {
    const note = this.#noteOf(incident)
    const { status, at } = incident
    const isLate =
      status === 'firing' &&
      note.ended !== null &&
      note.senderEndedAt !== null &&
      (incident.changedAt ?? Infinity) < note.senderEndedAt
    if (status === 'resolved') {
      this.#pair(incident)
      note.ended ??= { by: 'sender', at }
      note.resolvedBy = incident.id
      const times = [note.senderEndedAt, incident.changedAt].filter((time) => typeof time === 'number')
      note.senderEndedAt = times.length === 0 ? null : Math.max(...times)
    } else if (isLate) this.#resolved.set(incident.seq, { at, by: note.resolvedBy })
    else if (note.ended !== null || note.since === null) {
      Object.assign(note, { since: incident.seq, openedAt: at, ended: null, resolvedBy: null, senderEndedAt: null })
      Object.assign(note, { acked: null, ackedUntil: null })
    }
    if (isLate) note.late.add(incident.seq)
    note.lastAt = at
    note.openedAt ??= at
    this.#incidents.push(incident)
  }

  /** No incident has come for 24 hours, or half an hour where the sender never resolves. */
  quiet(now: number): void {
    for (const [fingerprint, note] of this.#notes) {
      const isBrief = this.#of(fingerprint).at(-1)?.sender === 'custom'
      if (note.ended !== null || note.lastAt > now - (isBrief ? 30 * MINUTE : 24 * 60 * MINUTE)) continue
      note.ended = { by: 'quiet', at: now }
      this.quietEnds++
    }
  }

  /** A person acknowledges, or resolves, the nth incident. */
  acknowledge(nth: number, now: number): void {
    const note = this.#notes.get(this.#incidents[nth]?.fingerprint ?? '')
    if (note === undefined || note.ended !== null || note.acked !== null) return
    Object.assign(note, { acked: now, ackedUntil: now + ACKNOWLEDGED_MS })
  }

  resolve(nth: number, now: number): void {
    const { fingerprint = '', seq = 0 } = this.#incidents[nth] ?? {}
    const note = this.#notes.get(fingerprint)
    for (const one of this.#of(fingerprint))
      if (one.status === 'firing' && (one.seq === seq || one.seq > this.#lastResolution(fingerprint)))
        if (!this.#resolved.has(one.seq)) this.#resolved.set(one.seq, { at: now, by: null })
    if (note?.ended === null) note.ended = { by: 'person', at: now }
  }

  /** The machine's clock was set while the service ran. */
  shift(byMs: number): void {
    for (const note of this.#notes.values())
      if (note.ended === null) {
        note.lastAt += byMs
        if (note.ackedUntil !== null) note.ackedUntil += byMs
      }
  }

  /** The service starts; a clock that was ahead is not any more. */
  restart(now: number): void {
    for (const note of this.#notes.values()) {
      note.lastAt = Math.min(note.lastAt, now)
      if (note.ackedUntil !== null) note.ackedUntil = Math.min(note.ackedUntil, now + ACKNOWLEDGED_MS)
    }
  }

  get lateOnes(): number {
    return [...this.#notes.values()].reduce((sum, { late }) => sum + late.size, 0)
  }

  problems(): { readonly [column: string]: Value }[] {
    return [...this.#notes]
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([fingerprint, note]) => {
        const all = this.#of(fingerprint)
        const firing = all.filter(({ status }) => status === 'firing')
        const current = firing.filter(({ seq }) => note.since !== null && seq >= note.since && !note.late.has(seq))
        const last = all.at(-1)
        return {
          fingerprint,
          state: note.ended === null ? 0 : 1,
          since: note.ended?.at ?? note.openedAt ?? 0,
          opened_at: note.openedAt,
          first_at: all[0]?.at ?? 0,
          last_at: note.lastAt,
          firing: current.length,
          firing_total: firing.length,
          resolved_total: all.length - firing.length,
          level: Math.min(
            ...(current.length > 0 ? current : all.slice(0, 1)).map(({ severity }) => severityRank(severity)),
          ),
          ended_by: note.ended?.by ?? null,
          resolved_by: note.resolvedBy,
          sender_ended_at: note.senderEndedAt,
          acked_at: note.acked,
          acked_until: note.ackedUntil,
          last_incident: last?.seq ?? 0,
          last_id: last?.id ?? '',
          severity: last?.severity ?? '',
        }
      })
  }

  /** What incidents say about their problems. */
  incidents(): { readonly [column: string]: Value }[] {
    return this.#incidents.map(({ seq, fingerprint, status }) => ({
      seq,
      previous: this.#of(fingerprint).findLast((one) => one.seq < seq)?.seq ?? null,
      resolved_at: status === 'firing' ? (this.#resolved.get(seq)?.at ?? null) : null,
      resolved_by: this.#resolved.get(seq)?.by ?? null,
    }))
  }

  /** A resolution resolves what fires since the one before it, unless a person did so earlier. */
  #pair({ id, fingerprint, at }: ModelIncident): void {
    for (const one of this.#of(fingerprint)) {
      if (one.status === 'resolved' || one.seq < this.#lastResolution(fingerprint)) continue
      const before = this.#resolved.get(one.seq)
      if (before === undefined || (before.by === null && before.at >= at))
        this.#resolved.set(one.seq, { at: before?.at ?? at, by: id })
    }
  }

  #of(fingerprint: string): ModelIncident[] {
    return this.#incidents.filter((one) => one.fingerprint === fingerprint)
  }

  #lastResolution(fingerprint: string): number {
    return this.#of(fingerprint).findLast(({ status }) => status === 'resolved')?.seq ?? 0
  }

  #noteOf({ fingerprint, at }: ModelIncident): Note {
    const known = this.#notes.get(fingerprint)
    if (known !== undefined) return known
    const note: Note = {
      since: null,
      openedAt: null,
      lastAt: at,
      ended: null,
      resolvedBy: null,
      senderEndedAt: null,
      acked: null,
      ackedUntil: null,
      late: new Set(),
    }
    this.#notes.set(fingerprint, note)
    return note
  }
}

interface Note {
  /** Number of the incident with which it began to fire. */
  since: number | null
  openedAt: number | null
  lastAt: number
  ended: Ending | null
  resolvedBy: string | null
  senderEndedAt: number | null
  acked: number | null
  ackedUntil: number | null
  readonly late: Set<number>
}
