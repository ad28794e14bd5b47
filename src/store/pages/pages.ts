import { pagedLevel, pageStep } from '../../domain/escalation.ts'
import { type Covered, type Page, type PageChange, type PageEvent, STANDS_MS } from '../../domain/page.ts'
import { severityRank } from '../../domain/severity.ts'
import { type PageChoice, type PageInput, pageFor } from '../../policy/page.ts'
import type { Problem } from '../../policy/problem.ts'
import type { RepeatFacts } from '../../policy/repeat.ts'
import { DESTINATION_CODE, NOTIFY, PHASE } from '../engine/column-codes.ts'
import type { StoreContext } from '../engine/context.ts'
import { queueOf } from '../engine/counts.ts'
import { withoutNul } from '../engine/statement.ts'
import type { MarkResolved } from '../incidents/mark-resolved.ts'
import type { Runs } from '../oncall/runs.ts'
import type { Notices } from '../outbox/notices.ts'
import type { OncallChange } from '../ports/oncall.ts'
import type { Problems } from '../problems/problems.ts'
import { openPageRows } from './rows.ts'

/** An incident that pages, before it is inserted. */
interface Arriving extends Omit<PageInput, 'page'> {
  readonly incident: number
  /** Number of its problem, which has had incidents before unless `isFirst`. */
  readonly problem: number
  readonly isFirst: boolean
  readonly waitMs: number
  /** Name of the provider's destination; absent: the default one. */
  readonly target?: string | undefined
}

type Louder = Pick<Arriving, 'incident' | 'problem' | 'target' | 'alert' | 'waitMs'>

/** How an incident begins to page. */
export interface PageOfIncident {
  readonly phase: 'armed' | 'held' | 'joined'
  /** Epoch milliseconds. */
  readonly dueAt: number
  readonly changes: readonly OncallChange[]
}

interface PagesDeps {
  readonly notices: Pick<Notices, 'raise'>
  readonly markResolved: MarkResolved
  readonly problems: Pick<Problems, 'numberOf'>
  /** Escalations at work; undefined: the configuration has none. */
  runs(): Pick<Runs, 'acknowledged' | 'resolved' | 'flapped' | 'forget' | 'pageFailed'> | undefined
  /** Hears of each page that retention deletes. */
  forgotten(page: Pick<Page, 'problem' | 'target'>): void
}

/**
 * Pages of problems, in the transaction of what moves them: `pageFor` decides which incident gets a timer, and `pageStep` what
 * the provider gets and when. All inside `write`, except `choose`.
 */
export type Pages = ReturnType<typeof openPages>

export function openPages(context: StoreContext, { notices, markResolved, problems, runs, forgotten }: PagesDeps) {
  const { db, counts, now } = context
  const rows = openPageRows(context)
  const shown = openShown(context)
  const earliest = db.query<{ at: number }>(
    'SELECT signal_at AS at FROM pages WHERE leased = 0 AND signal_at IS NOT NULL ORDER BY signal_at LIMIT 1',
  )
  const problemOf = db.query<{ problem: number }>('SELECT problem FROM incidents WHERE seq = ?')
  const queue = () => queueOf(counts, 'page', DESTINATION_CODE.oncall)

  /** Reads when the next signal is due, after waiting ones changed. */
  function refreshNextDue(): void {
    queue().dueAt = queue().pending === 0 ? Infinity : (earliest.get()?.at ?? Infinity)
  }

  function count(page: Page | undefined, by: 1 | -1): void {
    const { next, timer } = page ?? {}
    if (next?.state === 'in flight') queue().sending += by
    else if (next !== undefined) queue().pending += by
    if (timer?.state === 'held') counts.held.timers += by
  }

  function record({ incident, phase, effects }: PageChange, page: Page): void {
    const { stand, timer, provider } = page
    if (phase !== undefined) shown.phase(incident, phase, phase === 'armed' ? timer?.dueAt : undefined)
    for (const effect of effects) {
      if (effect.kind === 'notice') {
        const { signal, reason } = effect
        shown.failed(incident, signal === 'trigger' ? reason : `${signal}: ${reason}`)
        if (signal !== 'trigger') continue
        notices.raise('oncall')
        runs()?.pageFailed(page.problem, page.target, reason)
      } else if (effect.action === 'resolved') markResolved(incident)
      else if (effect.action === 'paged')
        shown.paged(incident, { at: now(), dueAt: (stand?.until ?? now()) - STANDS_MS, provider: provider ?? '' })
    }
  }

  /** `known`: as it is stored; `arriving`: an incident that is not. */
  function move(known: Page | undefined, page: Page, event: PageEvent, arriving?: number): OncallChange[] {
    const [is, changes] = pageStep(page, event, now())
    rows.save(known, is)
    count(known, -1)
    count(is, 1)
    if (is?.next?.state === 'waiting') queue().dueAt = Math.min(queue().dueAt, is.next.at)
    for (const change of changes) if (change.incident !== arriving) record(change, is ?? page)
    return changes.flatMap(({ incident, effects }) => (effects.length === 0 ? [] : [{ incident, effects }]))
  }

  /** Applies the event to each page. */
  function advance(pages: readonly Page[], event: PageEvent): OncallChange[] {
    const changes = pages.flatMap((page) => move(page, page, event))
    if (pages.length > 0) refreshNextDue()
    return changes
  }

  const numberOf = (fingerprint: string) => problems.numberOf(withoutNul(fingerprint)) ?? 0
  const pagesOf = (fingerprint: string): readonly Page[] => rows.find(numberOf(fingerprint))

  function pageAt(problem: number, target = ''): Page | undefined {
    return rows.find(problem).find((page) => page.target === target)
  }

  return {
    rows,
    advance,
    refreshNextDue,
    /** Decides about the page of an incident, and makes it. Undefined: it does not page. */
    arrive({ incident, problem, isFirst, target = '', ...input }: Arriving): PageOfIncident {
      const { alert, now: at, waitMs } = input
      const known = isFirst ? undefined : pageAt(problem, target)
      const choice = pageFor({ ...input, page: known })
      if (choice === 'join' || choice === 'none') return { phase: 'joined', dueAt: at, changes: [] }
      const kind = choice === 'own' ? 'armed' : 'held'
      const timer = { incident, dueAt: at + waitMs, waitMs, ...coveredOf(alert) }
      const changes = move(known, known ?? { problem, target, providerKnows: 'no' }, { kind, timer }, incident)
      if (known !== undefined) refreshNextDue()
      return { phase: kind, dueAt: pageAt(problem, target)?.timer?.dueAt ?? at, changes }
    },
    /** Arms the timer of an incident that joined a page before it was sent, and is louder than that page. */
    louder({ incident, problem, target = '', alert, waitMs }: Louder): OncallChange[] {
      const page = pageAt(problem, target) ?? { problem, target, providerKnows: 'no' }
      if (severityRank(alert.severity) >= pagedLevel(page)) return []
      shown.reopen(incident)
      const timer = { incident, dueAt: now() + waitMs, waitMs, ...coveredOf(alert) }
      const changes = move(pageAt(problem, target), page, { kind: 'armed', timer })
      refreshNextDue()
      return changes
    },
    /** An escalation asks the provider: arms a timer without a wait, unless a page stands for the problem. */
    pageNow(problem: Problem, target = ''): void {
      const known = pageAt(problem.id, target)
      const level = severityRank(problem.severity)
      const isOpen = known?.timer !== undefined || known?.stand?.phase === 'paging' || known?.stand?.phase === 'paged'
      if (known !== undefined && isOpen && level >= pagedLevel(known)) return
      shown.reopen(problem.lastIncident)
      const timer = { incident: problem.lastIncident, dueAt: now(), waitMs: 0, level, members: null }
      move(known, known ?? { problem: problem.id, target, providerKnows: 'no' }, { kind: 'armed', timer })
      refreshNextDue()
    },
    /** Returns what `arrive` would decide now about an incident of a fingerprint. */
    choose(
      fingerprint: string,
      { target, ...input }: Omit<PageInput, 'page'> & { readonly target: string | undefined },
    ): PageChoice {
      return pageFor({ ...input, page: pageAt(problems.numberOf(fingerprint) ?? 0, target) })
    },
    /** Holds the timer of an incident until the end of a silence. */
    hold: (incident: number): OncallChange[] =>
      advance(
        rows.find(problemOf.get(incident)?.problem ?? 0).filter(({ timer }) => timer?.incident === incident),
        { kind: 'silenced' },
      ),
    /** Arms the held timers of a problem, with their full wait. */
    release: (problem: number): OncallChange[] =>
      rows
        .find(problem)
        .flatMap((page) => advance([page], { kind: 'released', dueAt: now() + (page.timer?.waitMs ?? 0) })),
    /** A person took the problem. */
    acknowledge(problem: number, by: string): OncallChange[] {
      runs()?.acknowledged(problem, by)
      return advance(rows.find(problem), { kind: 'acknowledged' })
    },
    /** Ends the pages of the fingerprint. */
    resolve(fingerprint: string): OncallChange[] {
      runs()?.resolved(numberOf(fingerprint))
      return advance(pagesOf(fingerprint), { kind: 'resolved' })
    },
    /** Ends those that neither the provider nor a person knows of. */
    resolveUnknown(fingerprint: string): OncallChange[] {
      runs()?.flapped(numberOf(fingerprint))
      return advance(pagesOf(fingerprint), { kind: 'flapped' })
    },
    /** Deletes the pages of a problem, or the one at a destination. Their end reaches no provider. */
    forget(problem: number, target?: string): void {
      if (target === undefined) runs()?.forget(problem)
      for (const page of rows.find(problem)) {
        if (target !== undefined && page.target !== target) continue
        rows.save(page, undefined)
        count(page, -1)
        counts.forgottenPages++
        forgotten(page)
      }
    },
  }
}

const coveredOf = ({ severity, members }: RepeatFacts): Covered => ({
  level: severityRank(severity),
  members: members ?? null,
})

/** Phases in which an incident waits for its page: it is unfinished, because the page needs its payload. */
const WAITS: ReadonlySet<PageChange['phase']> = new Set<PageChange['phase']>(['armed', 'paging', 'held'])

/** Opens what the row of an incident shows of its page. */
function openShown({ db, counts }: StoreContext) {
  const show = db.command('UPDATE incidents SET page = ?, page_due_at = coalesce(?, page_due_at) WHERE seq = ?')
  const close = db.query<{ notify_status: number }>(
    'UPDATE incidents SET oncall_open = 0 WHERE seq = ? AND oncall_open = 1 RETURNING notify_status',
  )
  const reopen = db.query<{ notify_status: number }>(
    'UPDATE incidents SET oncall_open = 1 WHERE seq = ? AND oncall_open = 0 RETURNING notify_status',
  )
  const failed = db.command('UPDATE incidents SET oncall_error = ? WHERE seq = ?')
  const paged = db.command(
    `UPDATE incidents SET oncall_triggered = 1, oncall_error = NULL, paged_at = ?, page_due_at = ?, page_provider = ?
     WHERE seq = ?`,
  )
  return {
    phase(incident: number, phase: NonNullable<PageChange['phase']>, dueAt: number | undefined): void {
      show.run(PHASE[phase], dueAt ?? null, incident)
      if (WAITS.has(phase)) return
      const status = close.get(incident)?.notify_status
      if (status !== undefined && status !== NOTIFY.pending) counts.finished++
    },
    reopen(incident: number): void {
      const status = reopen.get(incident)?.notify_status
      if (status !== undefined && status !== NOTIFY.pending) counts.finished--
    },
    failed: (incident: number, error: string): void => failed.run(withoutNul(error), incident),
    paged: (incident: number, page: { readonly at: number; readonly dueAt: number; readonly provider: string }): void =>
      paged.run(page.at, page.dueAt, page.provider, incident),
  }
}
