import type { Brief } from '../../api/brief.ts'
import type { Problem } from '../../policy/problem.ts'
import { isoTime, isoTimeOrNull } from '../../text/iso-time.ts'
import type { StoreContext } from '../engine/context.ts'
import type { OpeningRow } from './reads.ts'
import { cutQuote } from './text.ts'

const AROUND_MS = 10 * 60_000
/** Openings on each side, in the order of their numbers, that are looked at. */
const EACH_SIDE = 500
const COLUMNS = 'id, problem, title, service, opened_at, ended_at'

type Row = Pick<OpeningRow, 'id' | 'problem' | 'title' | 'service' | 'opened_at' | 'ended_at'>

/** Opens the openings around a time: those of the service, and how many other services have. */
export function openNearby({ db }: Pick<StoreContext, 'db'>) {
  const earlier = db.query<Row>(`SELECT ${COLUMNS} FROM openings WHERE id < ? ORDER BY id DESC LIMIT ${EACH_SIDE}`)
  const later = db.query<Row>(`SELECT ${COLUMNS} FROM openings WHERE id > ? ORDER BY id LIMIT ${EACH_SIDE}`)
  const ofService = db.query<Row>(
    `SELECT ${COLUMNS} FROM openings WHERE service = ? AND id < ? ORDER BY id DESC LIMIT ${EACH_SIDE}`,
  )

  return function nearby({ id, service }: Problem, began: number, at: number) {
    const isNear = ({ opened_at }: Row) => Math.abs(opened_at - at) <= AROUND_MS
    const around = [...later.all(began).reverse(), ...earlier.all(began)].filter((row) => row.problem !== id)
    const near = around.filter(isNear)
    const known = new Set(near.map((row) => row.id))
    const open = ofService
      .all(service, began)
      .filter((row) => row.problem !== id && !known.has(row.id) && (row.ended_at === null || row.ended_at > at))
    const openings = [...near.filter((row) => row.service === service), ...open].slice(0, 10)
    const others = new Map<string, number>()
    for (const row of near) if (row.service !== service) others.set(row.service, (others.get(row.service) ?? 0) + 1)
    return {
      openings: openings.map((row) => ({
        problem: row.problem,
        title: cutQuote(row.title),
        service: cutQuote(row.service),
        opened_at: isoTime(row.opened_at),
        ended_at: isoTimeOrNull(row.ended_at),
      })),
      services: [...others]
        .map(([name, count]) => ({ service: cutQuote(name), count }))
        .sort((a, b) => b.count - a.count || (a.service < b.service ? -1 : 1))
        .slice(0, 5),
    } satisfies Partial<NonNullable<Brief['nearby']>>
  }
}
