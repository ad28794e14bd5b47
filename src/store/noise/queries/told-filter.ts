import { KIND, NOTIFY, STATE } from '../../engine/column-codes.ts'
import type { Parameter } from '../../engine/sql.ts'
import type { IncidentFilter } from '../../incidents/filters.ts'

/** Conditions on rows of `incidents` that the search index does not know. */
export interface ToldClauses {
  readonly clauses: readonly string[]
  readonly parameters: readonly Parameter[]
}

const DELIVERIES = `SELECT 1 FROM dispatches WHERE incident = seq AND kind = ${KIND.delivery}`
const TOLD_CLAUSES = {
  message: `EXISTS (${DELIVERIES} AND bundle IS NULL AND state = ${STATE.sent})`,
  digest: `EXISTS (${DELIVERIES} AND bundle IS NOT NULL)`,
  nobody: `notify_status = ${NOTIFY.nobody}`,
  silenced: 'silence IS NOT NULL',
  waiting: `notify_status = ${NOTIFY.pending} AND EXISTS (${DELIVERIES} AND state <> ${STATE.sent})`,
} as const satisfies Record<NonNullable<IncidentFilter['notified']>, string>

/** Returns the conditions of the filters `notified`, `rule` and `digest`; without clauses when none is given. */
export function toldClauses({ notified, rule, digest }: IncidentFilter): ToldClauses {
  const conditions: readonly (readonly [clause: string, ...Parameter[]])[] = [
    ...(notified === undefined ? [] : [[TOLD_CLAUSES[notified]] as const]),
    ...(rule === undefined ? [] : [[RULE, `"name":${JSON.stringify(rule)}`] as const]),
    ...(digest === undefined ? [] : [['seq IN (SELECT incident FROM dispatches WHERE bundle = ?)', digest] as const]),
  ]
  return {
    clauses: conditions.map(([clause]) => clause),
    parameters: conditions.flatMap(([, ...parameters]) => parameters),
  }
}

/** Finds a text in the JSON of a decision, where only rules have a name, and where quotes in texts are escaped. */
const RULE = "decision IN (SELECT id FROM decisions WHERE replace(json, ?, '') <> json)"
