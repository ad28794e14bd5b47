import { KIND, NOTIFY, STATE } from '../../engine/column-codes.ts'
import { type IncidentFilter, type Where, whereOf } from '../../incidents/filters.ts'

const DELIVERIES = `SELECT 1 FROM dispatches WHERE incident = seq AND kind = ${KIND.delivery}`
const TOLD_CLAUSES = {
  message: `EXISTS (${DELIVERIES} AND bundle IS NULL AND state = ${STATE.sent})`,
  digest: `EXISTS (${DELIVERIES} AND bundle IS NOT NULL)`,
  nobody: `notify_status = ${NOTIFY.nobody}`,
  silenced: 'silence IS NOT NULL',
  waiting: `notify_status = ${NOTIFY.pending} AND EXISTS (${DELIVERIES} AND state <> ${STATE.sent})`,
} as const satisfies Record<NonNullable<IncidentFilter['notified']>, string>

/** Returns the conditions of the filters `notified`, `rule` and `digest` on rows of `incidents`, which the search index does not know. */
export const toldClauses = ({ notified, rule, digest }: IncidentFilter): Where =>
  whereOf(
    notified !== undefined && [TOLD_CLAUSES[notified]],
    rule !== undefined && [RULE, `"name":${JSON.stringify(rule)}`],
    digest !== undefined && ['seq IN (SELECT incident FROM dispatches WHERE bundle = ?)', digest],
  )

/** Finds a text in the JSON of a decision, where only rules have a name, and where quotes in texts are escaped. */
const RULE = "decision IN (SELECT id FROM decisions WHERE replace(json, ?, '') <> json)"
