import type { ChannelName } from '../../../domain/delivery.ts'
import type { StoreContext } from '../../engine/context.ts'
import type { Lane } from '../../engine/counts.ts'
import { command, query, withoutNul } from '../../engine/statement.ts'
import type { Bundles } from '../bundles.ts'

/** A bundle of repeats that is not closed. Times are epoch milliseconds. */
export interface RepeatBundle {
  readonly id: number
  readonly destination: number
  readonly subject: string
  /** When the problem began to fire. */
  readonly since: number
  folded: number
  told: number
  readonly revision: number
  /** Incident whose message may be edited. */
  first_incident: number | null
  /** Not null: it takes no more places. See the schema. */
  answer: number | null
  due_at: number
  /** The latest message about the problem. */
  posted_at: number
  message_id: string | null
  /** Null: it tells of repeats. See the schema. */
  flap: number | null
  /** Places of firing incidents, where the problem flaps. */
  firing: number
}

export const FLAP = { lasts: 1, ending: 2, over: 3 } as const

/** Everything is told, and no place will come. */
export const isDone = ({ answer, folded, told, flap }: RepeatBundle): boolean =>
  answer !== null && folded === told && flap !== FLAP.ending

interface NewBundle {
  readonly fingerprint: string
  readonly since: number
  readonly firstIncident: number | null
  readonly messageId: string | null
  readonly dueAt: number
  readonly postedAt: number
  readonly flap: number | null
}

const IS_OPEN = 'subject IS NOT NULL AND closed_at IS NULL'
const COLUMNS =
  'id, destination, subject, since, folded, told, revision, first_incident, answer, due_at, posted_at, message_id, flap, firing'
const IS_WAITING = `(folded > told OR flap = ${FLAP.ending})`
/** Bundles that stay in memory from one transaction to the next. */
const MAX_CACHED = 10_000

/**
 * Bundles of repeats in memory and on disk. A turn adds their places up in memory; `flush` writes each once, before they are
 * read by other means and at the end of the transaction. Inside `write`.
 */
export interface RepeatRows {
  open(lane: Lane<ChannelName>, bundle: NewBundle): RepeatBundle
  /** Returns the bundle that takes places of a problem now. */
  find(code: number, fingerprint: string): RepeatBundle | undefined
  /** Marks a bundle that `open` or `find` returned as changed. */
  changed(bundle: RepeatBundle): void
  /** Writes a bundle that was read by other means, after `flush`. */
  write(bundle: RepeatBundle): void
  flush(): void
  /** Forgets a bundle that was changed on disk. */
  forget(bundle: Pick<RepeatBundle, 'destination' | 'subject'>): void
  rollback(): void
  byId(id: number): RepeatBundle | undefined
  /** Returns the bundle that is due first: one with untold places, or whose end is to be told. */
  due(code: number, now: number): RepeatBundle | undefined
  /** Returns the open bundle that this resolved incident answers, or whose message is that of this incident. */
  answeredBy(code: number, incident: number): RepeatBundle | undefined
  startedBy(code: number, incident: number): RepeatBundle | undefined
  /** Returns when the first such bundle of a destination is due; Infinity: none is. */
  nextDueAt(code: number): number
}

export function openRepeatRows({ db, now }: StoreContext, bundles: Pick<Bundles, 'open'>): RepeatRows {
  const begin = command(
    db,
    'UPDATE bundles SET subject = ?, first_incident = ?, message_id = ?, due_at = ?, posted_at = ?, flap = ? WHERE id = ?',
  )
  const update = command(
    db,
    'UPDATE bundles SET folded = ?, first_incident = ?, answer = ?, due_at = ?, posted_at = ?, message_id = ?, flap = ?, firing = ? WHERE id = ?',
  )
  const bySubject = query<RepeatBundle>(
    db,
    `SELECT ${COLUMNS} FROM bundles WHERE destination = ? AND subject = ? AND ${IS_OPEN} AND answer IS NULL ORDER BY id DESC LIMIT 1`,
  )
  const byId = query<RepeatBundle>(db, `SELECT ${COLUMNS} FROM bundles WHERE id = ? AND ${IS_OPEN}`)
  const due = query<RepeatBundle>(
    db,
    `SELECT ${COLUMNS} FROM bundles WHERE destination = ? AND ${IS_OPEN} AND ${IS_WAITING} AND due_at <= ? ORDER BY due_at, id LIMIT 1`,
  )
  const next = query<{ due_at: number }>(
    db,
    `SELECT due_at FROM bundles WHERE destination = ? AND ${IS_OPEN} AND ${IS_WAITING} ORDER BY due_at LIMIT 1`,
  )
  const ofIncident = (column: 'answer' | 'first_incident') =>
    query<RepeatBundle>(
      db,
      `SELECT ${COLUMNS} FROM bundles
       WHERE destination = ?1 AND subject = (SELECT fingerprint FROM incidents WHERE seq = ?2) AND ${IS_OPEN} AND ${column} = ?2
       ORDER BY id DESC LIMIT 1`,
    )
  const answered = ofIncident('answer')
  const started = ofIncident('first_incident')
  /** Undefined: there is none. */
  const cache = new Map<string, RepeatBundle | undefined>()
  const dirty = new Set<RepeatBundle>()
  const keyOf = (code: number, fingerprint: string) => `${code} ${fingerprint}`

  const forget = ({ destination, subject }: Pick<RepeatBundle, 'destination' | 'subject'>) =>
    void cache.delete(keyOf(destination, subject))

  function save({
    folded,
    first_incident,
    answer,
    due_at,
    posted_at,
    message_id,
    flap,
    firing,
    id,
  }: RepeatBundle): void {
    update.run(folded, first_incident, answer, due_at, posted_at, message_id, flap, firing, id)
  }

  function flush(): void {
    for (const bundle of dirty) save(bundle)
    dirty.clear()
    if (cache.size > MAX_CACHED) cache.clear()
  }

  return {
    open(lane, { fingerprint, since, firstIncident, messageId, dueAt, postedAt, flap }) {
      const subject = withoutNul(fingerprint)
      const id = bundles.open(lane, since, now())
      begin.run(subject, firstIncident, messageId, dueAt, postedAt, flap, id)
      const bundle: RepeatBundle = {
        id,
        destination: lane.code,
        subject,
        since,
        folded: 0,
        told: 0,
        revision: 0,
        first_incident: firstIncident,
        answer: null,
        due_at: dueAt,
        posted_at: postedAt,
        message_id: messageId,
        flap,
        firing: 0,
      }
      cache.set(keyOf(lane.code, subject), bundle)
      return bundle
    },
    find(code, fingerprint) {
      const subject = withoutNul(fingerprint)
      const key = keyOf(code, subject)
      const known = cache.get(key)
      if (known !== undefined || cache.has(key)) return known
      const row = bySubject.get(code, subject)
      const bundle = row && { ...row }
      cache.set(key, bundle)
      return bundle
    },
    changed(bundle) {
      dirty.add(bundle)
      if (bundle.answer !== null) cache.set(keyOf(bundle.destination, bundle.subject), undefined)
    },
    write(bundle) {
      save(bundle)
      forget(bundle)
    },
    flush,
    forget,
    rollback() {
      cache.clear()
      dirty.clear()
    },
    byId: (id) => byId.get(id),
    due: (code, at) => due.get(code, at),
    answeredBy: (code, incident) => answered.get(code, incident),
    startedBy: (code, incident) => started.get(code, incident),
    nextDueAt: (code) => next.get(code)?.due_at ?? Infinity,
  }
}
