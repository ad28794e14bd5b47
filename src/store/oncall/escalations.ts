import { type Effect, type EscalationEvent, isKnown, step, unfinishedFor } from '../../domain/escalation.ts'
import type { OncallPolicy } from '../../domain/oncall.ts'
import { newsBeside, type RepeatFacts } from '../../policy/repeat.ts'
import { DESTINATION_CODE, PHASE } from '../engine/column-codes.ts'
import type { StoreContext } from '../engine/context.ts'
import { command, withoutNul } from '../engine/statement.ts'
import type { MarkResolved } from '../incidents/mark-resolved.ts'
import type { Notices } from '../outbox/notices.ts'
import { openQueues } from '../outbox/queues.ts'
import type { OncallChange } from '../ports/oncall.ts'
import type { OpenPages } from './open-pages.ts'
import { type EscalationRows, escalationOf, type OncallRow, openRows } from './rows.ts'

/** A page that was due this long ago, or longer, does not stand for a new incident. */
const JOIN_MS = 4 * 3_600_000

interface PageToJoin {
  /** Time of the commit. */
  readonly at: number
  readonly waitMs: number
  readonly alert: RepeatFacts
  /** Its problem flaps: a new alert of its group is news too. */
  readonly isFlapping: boolean
}

interface EscalationDeps {
  readonly notices: Pick<Notices, 'raise'>
  readonly markResolved: MarkResolved
  readonly openPages: Pick<OpenPages, 'keep'>
}

/**
 * Moves escalations from phase to phase, in the transaction of their cause. All inside `write`; what may happen when is
 * decided by `step`.
 */
export type Escalations = ReturnType<typeof openEscalations>

/** `policy` undefined: no new timer is armed. */
export function openEscalations(
  context: StoreContext,
  policy: OncallPolicy | undefined,
  { notices, markResolved, openPages }: EscalationDeps,
) {
  const { db, counts, now } = context
  const rows = openRows(context)
  const queues = openQueues(context)
  const failed = command(db, 'UPDATE incidents SET oncall_error = ? WHERE seq = ?')
  const triggered = command(db, 'UPDATE incidents SET oncall_triggered = 1, oncall_error = NULL WHERE seq = ?')

  const refreshNextDue = () => queues.refreshNextDue('page', DESTINATION_CODE.oncall)

  function record(incident: number, effect: Effect): void {
    if (effect.kind === 'notice') return recordFailure(incident, effect)
    if (effect.action === 'resolved') markResolved(incident)
    if (effect.action !== 'paged') return
    triggered.run(incident)
    rows.markPaged(incident, now(), policy?.provider ?? '')
  }

  function recordFailure(incident: number, { signal, reason }: Extract<Effect, { kind: 'notice' }>): void {
    failed.run(withoutNul(signal === 'trigger' ? reason : `${signal}: ${reason}`), incident)
    if (signal === 'trigger') notices.raise('oncall')
  }

  function move(row: OncallRow, event: EscalationEvent): OncallChange {
    const was = escalationOf(row)
    const [is, effects] = step(was, event, now())
    rows.save(row.incident, was, is)
    const reason = unfinishedFor(is)
    if (reason !== unfinishedFor(was)) openPages.keep(row.incident, row.fingerprint, reason)
    if (was.phase !== is.phase) counts.held.timers += Number(is.phase === 'held') - Number(was.phase === 'held')
    for (const effect of effects) record(row.incident, effect)
    return { incident: row.incident, effects }
  }

  /** Applies the event to each row. */
  function advance(moving: readonly OncallRow[], event: EscalationEvent): OncallChange[] {
    const changes = moving.map((row) => move(row, event))
    if (moving.length > 0) refreshNextDue()
    return changes
  }

  const unresolvedOf = (fingerprint: string) => [
    ...rows.unresolvedOf(fingerprint),
    ...(counts.held.timers > 0 ? rows.heldOf(fingerprint) : []),
  ]

  function resolveJoined(fingerprint: string): void {
    for (const incident of rows.resolveJoined(fingerprint)) markResolved(incident)
  }

  return {
    rows,
    advance,
    /** Reads when the next page is due, after waiting ones changed. */
    refreshNextDue,
    arm(
      incident: number,
      fingerprint: string,
      { at, waitMs }: { readonly at: number; readonly waitMs: number },
    ): OncallChange {
      rows.arm({ incident, fingerprint, dueAt: at + waitMs, waitMs })
      return { incident, effects: [{ kind: 'announce', action: 'armed' }] }
    },
    /** Makes a timer that waits for the end of a silence. */
    hold(
      incident: number,
      fingerprint: string,
      { at, waitMs }: { readonly at: number; readonly waitMs: number },
    ): OncallChange {
      rows.hold({ incident, fingerprint, dueAt: at + waitMs, waitMs })
      counts.held.timers++
      return { incident, effects: [{ kind: 'announce', action: 'held' }] }
    },
    /** Arms a timer that was held, with its full wait. */
    release(incident: number): OncallChange[] {
      const row = rows.find(incident)
      if (row === undefined) return []
      const dueAt = now() + row.wait_ms
      if (row.phase === PHASE.held) rows.postpone(incident, dueAt)
      return advance([row], { kind: 'released', dueAt })
    },
    /** One that joined: the open escalations of its fingerprint. */
    acknowledge(incident: number): OncallChange[] {
      const row = rows.find(incident)
      if (row === undefined) return []
      const pages = row.phase === PHASE.joined ? rows.unresolvedOf(row.fingerprint) : [row]
      return advance(pages, { kind: 'acknowledged' }).filter(({ effects }) => effects.length > 0)
    },
    /**
     * An open escalation of the fingerprint (armed, due, paged or acknowledged) pages for an incident whose own page would
     * wait `waitMs`: it is due no later, and one such is as loud.
     */
    mayJoin(fingerprint: string, { at, waitMs, alert, isFlapping }: PageToJoin): boolean {
      const pages = rows.openOf(fingerprint, { from: at - JOIN_MS, to: at + waitMs })
      if (pages.length === 0) return false
      const news = newsBeside(pages.map(toldOf), alert)
      return news === undefined || (news === 'new alert' && !isFlapping)
    },
    /** Makes an incident one that another one of its fingerprint pages for. `at`: time of its commit. */
    join: rows.join,
    /** Ends every escalation of the fingerprint. */
    resolve(fingerprint: string): OncallChange[] {
      resolveJoined(fingerprint)
      return advance(unresolvedOf(fingerprint), { kind: 'resolved' })
    },
    /** Ends those that neither the provider nor a person knows of. */
    resolveUnknown(fingerprint: string): OncallChange[] {
      const unresolved = unresolvedOf(fingerprint)
      const unknown = unresolved.filter((row) => !isKnown(escalationOf(row)))
      if (unknown.length === unresolved.length) resolveJoined(fingerprint)
      return advance(unknown, { kind: 'resolved' })
    },
  }
}

const toldOf = ({ severity, members }: ReturnType<EscalationRows['openOf']>[number]) => ({
  severity,
  members: members === null ? undefined : (JSON.parse(members) as string[]),
})
