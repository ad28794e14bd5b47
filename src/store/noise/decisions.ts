import { createHash } from 'node:crypto'
import type { Decision, Priority } from '../../policy/decision.ts'
import type { Lane } from '../engine/counts.ts'
import type { Sql } from '../engine/sql.ts'
import { command, query } from '../engine/statement.ts'

/**
 * Decisions that rules made, each outcome once: they explain an incident after the configuration has changed. An
 * incident without a decision went by the defaults. `hits`: incidents since the first.
 */
export const DECISIONS = `
CREATE TABLE decisions (
  id INTEGER PRIMARY KEY,
  hash BLOB NOT NULL UNIQUE,
  json TEXT NOT NULL,
  last_at INTEGER NOT NULL,
  hits INTEGER NOT NULL DEFAULT 0
);
`

/** All but the last three inside `write`. */
export interface Decisions {
  /** Begins a turn: forgets numbers that a failed transaction gave. */
  begin(): void
  /** Returns the decision's number, and counts a hit; null for the defaults, which are not stored. */
  numberOf(decision: Decision): number | null
  /** Ends a turn: writes its hits, once for each decision. `at`: epoch milliseconds. */
  end(at: number): void
  /** Returns the path of the template that a decision chose for a destination; undefined: the channel's own. */
  templateOf(number: number | null, lane: Lane): string | undefined
  /** Returns the priority that a decision gave; undefined: there is none. */
  priorityOf(number: number | null): Priority | undefined
  /** Returns the provider's destination that a decision chose; undefined: its default one. */
  pageTargetOf(number: number): string | undefined
}

export function openDecisions(db: Sql): Decisions {
  const intern = query<{ id: number }>(
    db,
    `INSERT INTO decisions (hash, json, last_at) VALUES (?, ?, 0)
     ON CONFLICT (hash) DO UPDATE SET last_at = decisions.last_at RETURNING id`,
  )
  const count = command(db, 'UPDATE decisions SET hits = hits + ?, last_at = ? WHERE id = ?')
  const find = query<{ json: string }>(db, 'SELECT json FROM decisions WHERE id = ?')
  const hits = new Map<Decision, { readonly id: number; hits: number }>()

  function stored(decision: Decision) {
    const json = JSON.stringify(decision)
    const id = intern.get(createHash('sha256').update(json).digest(), json)?.id as number
    const entry = { id, hits: 0 }
    hits.set(decision, entry)
    return entry
  }

  const read = (number: number): Decision => JSON.parse(find.get(number)?.json ?? NOTHING)

  return {
    begin: () => hits.clear(),
    numberOf(decision) {
      if (decision.rules.length === 0) return null
      const entry = hits.get(decision) ?? stored(decision)
      entry.hits++
      return entry.id
    },
    end(at) {
      for (const { id, hits: added } of hits.values()) count.run(added, at, id)
      hits.clear()
    },
    templateOf(number, { destination, target }) {
      if (number === null) return undefined
      return read(number).destinations.find((to) => to.channel === destination && to.target === target)?.template
    },
    priorityOf: (number) => (number === null ? undefined : read(number).priority),
    pageTargetOf: (number) => read(number).page?.target,
  }
}

const NOTHING = JSON.stringify({ destinations: [], priority: 'normal', rules: [] } satisfies Decision)
