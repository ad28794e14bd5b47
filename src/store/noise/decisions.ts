import { createHash } from 'node:crypto'
import type { Decision, Priority } from '../../policy/decision.ts'
import type { Lane } from '../engine/counts.ts'
import { type Statements, withoutNul } from '../engine/statement.ts'

/** Name of the count of incidents that any rule matched. */
export const ANY_RULE = ''

/** All but the last three inside `write`. */
export function openDecisions(db: Statements) {
  const intern = db.query<{ id: number }>(`INSERT INTO decisions (hash, json) VALUES (?, ?)
     ON CONFLICT (hash) DO UPDATE SET stored = decisions.stored RETURNING id`)
  const count = db.command('UPDATE decisions SET stored = stored + ? WHERE id = ?')
  const hit = db.command(`INSERT INTO rules (name, hits, last_at) VALUES (?1, ?2, ?3)
     ON CONFLICT (name) DO UPDATE SET hits = rules.hits + ?2, last_at = ?3`)
  const storedIn = db.query<{ id: number; incidents: number }>(
    `SELECT decision AS id, count(*) AS incidents FROM incidents
     WHERE seq BETWEEN ? AND ? AND decision IS NOT NULL GROUP BY decision`,
  )
  const find = db.query<{ json: string }>('SELECT json FROM decisions WHERE id = ?')
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
    /** Begins a turn: forgets numbers that a failed transaction gave. */
    begin: (): void => hits.clear(),
    /** Returns the decision's number, and counts a hit; null for the defaults, which are not stored. */
    numberOf(decision: Decision): number | null {
      if (decision.rules.length === 0) return null
      const entry = hits.get(decision) ?? stored(decision)
      entry.hits++
      return entry.id
    },
    /** Ends a turn: writes its hits, once for each decision and rule. `at`: epoch milliseconds. */
    end(at: number): void {
      const byRule = new Map<string, number>()
      for (const [{ rules }, { id, hits: added }] of hits) {
        count.run(added, id)
        for (const name of [ANY_RULE, ...rules.map((rule) => withoutNul(rule.name))])
          byRule.set(name, (byRule.get(name) ?? 0) + added)
      }
      for (const [name, added] of byRule) hit.run(name, added, at)
      hits.clear()
    },
    /** Subtracts incidents that are about to be deleted; returns the numbers of their decisions. */
    forget(first: number, last: number): number[] {
      return storedIn.all(first, last).map(({ id, incidents }) => {
        count.run(-incidents, id)
        return id
      })
    },
    /** Returns the path of the template that a decision chose for a destination; undefined: the channel's own. */
    templateOf(number: number | null, { destination, target }: Lane): string | undefined {
      if (number === null) return undefined
      return read(number).destinations.find((to) => to.channel === destination && to.target === target)?.template
    },
    /** Returns the priority that a decision gave; undefined: there is none. */
    priorityOf: (number: number | null): Priority | undefined => (number === null ? undefined : read(number).priority),
    /** Returns the provider's destination that a decision chose; undefined: its default one. */
    pageTargetOf: (number: number): string | undefined => read(number).page?.target,
  }
}

const NOTHING = JSON.stringify({ destinations: [], priority: 'normal', rules: [] } satisfies Decision)
