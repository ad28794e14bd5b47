import { createHash } from 'node:crypto'
import type { Draft, Source } from '../../domain/incident.ts'
import { incidentId } from '../../domain/incident-id.ts'
import { recognise } from '../../intake/recognise.ts'
import { openStore } from '../../store/store.ts'
import { isObject, type JsonObject } from '../../text/json-object.ts'

interface ImportedHistory {
  readonly count: number
  /** Records without a time or a payload. */
  readonly skipped: number
}

const BATCH = 500

/**
 * Writes their incidents into a new data directory, oldest first, as resolved ones without deliveries: nothing is sent
 * for them, and none fires.
 * @param stored content of their incidents.json
 */
export function importHistory(dataDir: string, stored: unknown): ImportedHistory {
  const records = isObject(stored) && Array.isArray(stored.incidents) ? stored.incidents : []
  const usable = records.filter(isUsable).sort((a, b) => Date.parse(a.created_at) - Date.parse(b.created_at))
  const skipped = records.length - usable.length
  if (usable.length === 0) return { count: 0, skipped }
  const limits = { channels: [], maxIncidents: usable.length, maxBacklog: usable.length }
  const store = openStore({ dataDir, ...limits, now: () => Date.now() })
  try {
    for (let from = 0; from < usable.length; from += BATCH) {
      const first = store.journal.progress().applied + 1
      const drafts = usable.slice(from, from + BATCH).map((record, nth) => draftOf(record, first + nth))
      const entry = {
        kind: 'ready' as const,
        first,
        last: first + drafts.length - 1,
        committedAt: Date.now(),
        submissions: [{ drafts }],
        contents: Buffer.concat(drafts.map(({ content }) => content)),
        frame: new Uint8Array(0),
      }
      store.turn({ settlements: [], sendersLost: false, clockJumpMs: 0, entries: [entry], capacity: new Map() })
    }
    return { count: usable.length, skipped }
  } finally {
    store.close()
  }
}

interface UsableRecord {
  readonly id: string
  readonly title?: unknown
  readonly source?: unknown
  readonly service?: unknown
  readonly created_at: string
  readonly content: JsonObject
}

function isUsable(record: unknown): record is UsableRecord {
  return isObject(record) && !Number.isNaN(Date.parse(String(record.created_at))) && isObject(record.content)
}

function draftOf(record: UsableRecord, number: number): Draft {
  const createdAt = Date.parse(record.created_at)
  const recognised = recognise(record.content)
  const content = Buffer.from(JSON.stringify(record.content))
  const own = {
    id: idOf(createdAt, record.id, number),
    source: sourceOf(String(record.source ?? '')),
    createdAt,
    content,
  }
  return { ...recognised, ...own, status: 'resolved' }
}

function sourceOf(source: string): Source {
  if (/^agent(?::|$)/.test(source)) return 'agent'
  return source === 'sns' ? 'topic' : 'webhook'
}

/** Returns a UUIDv7 of the time, with bits of their id in place of random ones. */
function idOf(createdAt: number, theirs: string, number: number): string {
  const time = createdAt.toString(16).padStart(12, '0')
  const bits = createHash('sha256').update(String(theirs)).digest('hex').slice(0, 6)
  return incidentId(`${time.slice(0, 8)}-${time.slice(8)}-7${bits.slice(0, 3)}-8${bits.slice(3)}-`, number)
}
