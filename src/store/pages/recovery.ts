import type { Overrides } from '../../domain/incident.ts'
import type { OncallPolicy } from '../../domain/oncall.ts'
import { type Page, STANDS_MS } from '../../domain/page.ts'
import { DESTINATION_CODE, PHASE } from '../engine/column-codes.ts'
import { queueOf } from '../engine/counts.ts'
import { SUBJECT_COLUMNS, type SubjectRow, subjectOf } from '../noise/silences/waiting.ts'
import type { StoreParts } from '../parts.ts'
import { type PageRow, pageOf } from './rows.ts'

/** Longer than any backoff: a later time of a signal was set while the clock was wrong. */
const LONGEST_WAIT_MS = 24 * 3_600_000

/** Opens what makes signals due again that a dead pager held. Inside `write`. */
export function openLosePages({ db, pages: { advance } }: StoreParts) {
  const leased = db.query<PageRow>('SELECT * FROM pages WHERE leased = 1')
  return (): void => void advance(leased.all().map(pageOf), { kind: 'lost' })
}

/**
 * Moves timers, signals, and the time for which pages stand for later incidents with the machine's clock, so that each lasts as
 * long as it would have. Inside `write`.
 */
export function openShift({ db, pages: { rows, refreshNextDue } }: StoreParts) {
  const shift = db.command(
    'UPDATE pages SET due_at = due_at + ?1, signal_at = signal_at + ?1, stands_until = stands_until + ?1',
  )
  return (byMs: number): void => {
    shift.run(byMs)
    rows.forget()
    refreshNextDue()
  }
}

/** Reads the counts, and bounds times of a wrong clock. Inside the first transaction. */
export function loadPages({ db, counts, now, pages: { rows, refreshNextDue } }: StoreParts): void {
  for (const [column, longest, condition] of [
    ['due_at', 'wait_ms', `timer = ${PHASE.armed}`],
    ['signal_at', 'wait_ms', `timer = ${PHASE.armed} AND signal = 'trigger'`],
    ['signal_at', LONGEST_WAIT_MS, `coalesce(timer, -1) <> ${PHASE.armed}`],
    ['stands_until', STANDS_MS, 'stands_until IS NOT NULL'],
  ] as const)
    db.command(`UPDATE pages SET ${column} = ?1 + ${longest} WHERE ${condition} AND ${column} > ?1 + ${longest}`).run(
      now(),
    )
  rows.load()
  const { pending, sending, held } = db
    .query<{
      pending: number
      sending: number
      held: number
    }>(`SELECT count(*) FILTER (WHERE leased = 0 AND signal_at IS NOT NULL) AS pending, count(*) FILTER (WHERE leased = 1) AS sending,
         count(*) FILTER (WHERE timer = ${PHASE.held}) AS held FROM pages`)
    .get() ?? { pending: 0, sending: 0, held: 0 }
  Object.assign(queueOf(counts, 'page', DESTINATION_CODE.oncall), { pending, sending })
  counts.held.timers = held
  refreshNextDue()
}

/**
 * Cancels what the policy rules out now: pages while paging is off, held ones included, and what another provider has. Inside the
 * first transaction.
 */
export function recoverPages(parts: StoreParts, policy: OncallPolicy | undefined): void {
  const { runs } = parts
  const { advance } = parts.pages
  const isWanted = openWanted(parts)
  runs?.load(runs.rules.enable ? undefined : isWanted)
  const all = parts.db.query<PageRow>('SELECT * FROM pages')
  const pages = () => all.all().map(pageOf)
  if (policy === undefined) {
    advance(pages(), { kind: 'switched off', isMute: true })
    return
  }
  const isOthers = ({ provider = policy.provider }: Page) => provider !== policy.provider
  advance(pages().filter(isOthers), { kind: 'provider changed' })
  if (policy.enable) return
  const pending = pages().filter(
    ({ timer, stand, providerKnows }) => timer ?? (stand?.phase === 'paging' && providerKnows === 'no'),
  )
  advance(
    pending.filter(({ timer, stand }) => isWanted((timer ?? stand)?.incident ?? 0) === false),
    { kind: 'switched off', isMute: false },
  )
}

/**
 * Opens the question whether an incident pages by the configuration in force: its request or a rule may say so. Undefined: it is
 * not known, because retention has deleted the incident.
 */
function openWanted({ db, decide, payloads }: StoreParts) {
  const stored = db.query<
    SubjectRow & { readonly created_at: number; readonly overrides: string | null }
  >(`SELECT ${SUBJECT_COLUMNS}, i.created_at, p.overrides FROM incidents i LEFT JOIN particulars p ON p.seq = i.seq
     WHERE i.seq = ?`)
  return (incident: number): boolean | undefined => {
    const row = stored.get(incident)
    if (row === undefined) return undefined
    const overrides: Overrides | undefined = row.overrides === null ? undefined : JSON.parse(row.overrides)
    return decide(subjectOf(row, payloads), overrides, row.created_at).page !== undefined
  }
}
