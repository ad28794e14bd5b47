import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { CHANNEL_CODE } from '../../src/store/engine/column-codes.ts'

export type AuditedChannel = 'chatws' | 'msgapp' | 'officechat'

/** Per channel: how many different messages arrived, and the numbers of those that arrived more than once. */
export type SinkReport = {
  readonly [name in AuditedChannel]: { readonly messages: number; readonly repeated: readonly number[] }
}

interface DeliveredRun {
  readonly report: SinkReport
  readonly dataDir: string
  /** Incidents that were accepted. */
  readonly count: number
}

/**
 * Counts deliveries that never arrived, those that arrived more than once, and those of the latter without
 * `may_duplicate`.
 */
export function auditDeliveries({ report, dataDir, count }: DeliveredRun, channels: readonly AuditedChannel[]) {
  const db = new DatabaseSync(join(dataDir, 'tocsin.db'), { readOnly: true })
  const flagged = new Map(channels.map((name) => [name, flaggedNumbers(db, name)]))
  db.close()
  const sum = (of: (name: AuditedChannel) => number) => channels.reduce((total, name) => total + of(name), 0)
  return {
    lost: sum((name) => count - report[name].messages),
    repeated: sum((name) => report[name].repeated.length),
    unflagged: sum((name) => report[name].repeated.filter((number) => !flagged.get(name)?.has(number)).length),
  }
}

/** Numbers of the incidents whose delivery on the channel has `may_duplicate`. */
function flaggedNumbers(db: DatabaseSync, name: AuditedChannel): Set<number> {
  const rows = db
    .prepare(
      `SELECT substr(c.bytes, i.content_start + 1, i.content_bytes) AS content FROM dispatches d
       JOIN incidents i ON i.seq = d.incident
       JOIN contents c ON c.first = (SELECT max(first) FROM contents WHERE first <= i.seq)
       WHERE d.kind = 0 AND d.destination = ? AND d.may_duplicate = 1`,
    )
    .all(CHANNEL_CODE[name])
  return new Set(rows.map(({ content }) => Number(/n(\d+)e/.exec(String(Buffer.from(content as Uint8Array)))?.[1])))
}
