import type { ShiftNow } from '../../policy/oncall/calendar.ts'
import type { Escalation, OncallRules } from '../../policy/oncall/escalation.ts'
import { openFind, planInForce, withTarget } from '../../policy/oncall/find.ts'
import { atFirstStep, beginRun, nextStep } from '../../policy/oncall/run.ts'
import type { RunEffect, RunEvent } from '../../policy/oncall/run-state.ts'
import { pagesOf } from '../../policy/oncall/ways.ts'
import type { Problem } from '../../policy/problem.ts'
import type { StoreContext } from '../engine/context.ts'
import { openUndoMap } from '../engine/overlay.ts'
import type { Payloads } from '../journal/payloads.ts'
import type { Accounts } from '../noise/silences/accounts.ts'
import { fittingSilences } from '../noise/silences/live.ts'
import { SUBJECT_COLUMNS, type SubjectRow, subjectOf } from '../noise/silences/waiting.ts'
import type { Notices } from '../outbox/notices.ts'
import { NO_CONTENT } from '../outbox/own-message.ts'
import type { RunNews } from '../ports/turn.ts'
import type { Problems } from '../problems/problems.ts'
import { openPageRows } from './page-rows.ts'
import { openPersonalPages } from './personal-pages.ts'
import { openRunRows, type StoredRun } from './run-rows.ts'
import { openSay } from './say.ts'

/** Runs that one turn looks at, one step each. */
const DUE = 64

interface RunsDeps {
  readonly problems: Pick<Problems, 'numbered' | 'numberOf'>
  readonly payloads: Pick<Payloads, 'of'>
  readonly accounts: Pick<Accounts, 'raise'>
  readonly notices: Pick<Notices, 'raise'>
  readonly pages: {
    /** Makes the page of a problem at a destination of the provider due. */
    pageNow(problem: Problem, target: string | undefined): void
  }
  /** Returns who is on call by a schedule; undefined: there is no such schedule. */
  shiftAt(schedule: string, instant: number): ShiftNow | undefined
}

/** A firing incident that pages by an escalation. */
interface Arriving {
  readonly problem: number
  readonly escalation: string
  /** Severity rank. */
  readonly level: number
  readonly waitMs: number
  /** Name of the provider's destination that the request or rule chose, for provider targets without a name. */
  readonly target?: string | undefined
  readonly isSilenced: boolean
  /** An acknowledgement of its problem covers it. */
  readonly isAcknowledged: boolean
  /** Its problem was over before, and does not flap. */
  readonly isAnew: boolean
}

/**
 * Escalations at work on problems: at most one run for each. A run that is due makes one step a turn. What may be known
 * without a query is in memory: which problems have a run, and when the next is due. Inside `write`.
 */
export type Runs = ReturnType<typeof openRuns>

export function openRuns(context: StoreContext, rules: OncallRules, deps: RunsDeps) {
  const { db, counts, now } = context
  const { problems, payloads, accounts, notices } = deps
  const say = openSay(context, rules, accounts)
  const find = openFind(rules, deps.shiftAt)
  const unanswered = openUndoMap<string, number>(context.caches)
  const rows = openRunRows(context)
  const pageRows = openPageRows(context)
  const personal = openPersonalPages(context, {
    ...{ rules, runs: rows, rows: pageRows, accounts, problems, say },
    waysOf(key, level) {
      const person = rules.people.get(key)
      return person === undefined ? [] : pagesOf(person, { now: now(), level })
    },
    isHeld(stored) {
      const problem = problems.numbered(stored.problem)
      if (problem === undefined || !isSilenced(problem)) return false
      move(stored, { kind: 'silenced' })
      return true
    },
    page: deps.pages.pageNow,
  })
  const subject = db.query<SubjectRow>(`SELECT ${SUBJECT_COLUMNS} FROM incidents i WHERE i.seq = ?`)

  function dueBy(at: number | undefined): void {
    counts.oncall = { dueAt: Math.min(counts.oncall.dueAt, at ?? Infinity) }
  }

  function refreshNextDue(): void {
    counts.oncall = { dueAt: Math.min(rows.nextDueAt(), pageRows.nextDueAt()) }
  }

  /** An active silence fits the problem, by its latest incident. */
  function isSilenced(problem: Problem): boolean {
    if (counts.silences.active.length === 0) return false
    const row = subject.get(problem.lastIncident)
    if (row !== undefined) return fittingSilences(counts.silences, subjectOf(row, payloads)).length > 0
    const { sender, source, title, service, severity, fingerprint } = problem
    const firing = { status: 'firing', content: NO_CONTENT } as const
    const words = { ...firing, sender, source, title, service, severity, fingerprint }
    return fittingSilences(counts.silences, words).length > 0
  }

  const tell = (news: RunNews) => {
    counts.news = { ...counts.news, runs: [...counts.news.runs, news] }
  }

  function carryOut(stored: StoredRun, effect: RunEffect): void {
    switch (effect.kind) {
      case 'ask':
        tell({ kind: 'asked', lateMs: Math.max(0, effect.lateMs) })
        personal.ask(stored, effect)
        return dueBy(now())
      case 'no person':
        tell({ kind: 'no_person' })
        personal.ask(stored, effect)
        return dueBy(now())
      case 'floor':
        tell({ kind: 'floor' })
        return personal.passed(stored, effect)
      case 'cancel pages':
        return pageRows.cancel(stored.id, stored.run.phase)
      case 'stand down':
        return personal.standDown(stored, effect.by)
      case 'exhausted':
        unanswered.set(stored.plan.name, (unanswered.get(stored.plan.name) ?? 0) + 1)
        return notices.raise('oncall')
      default:
        return effect satisfies never
    }
  }

  function move(was: StoredRun, event: RunEvent): void {
    const plan = planInForce(was.plan, rules)
    const begun = plan === was.plan ? was.run : atFirstStep(was.run)
    const { run, effects } = nextStep({ plan, run: begun, event, now: now(), find })
    const stored = { ...was, plan, run }
    rows.save(stored, run, run.phase === 'ended' ? event.kind : null)
    if (event.kind === 'acknowledged' && was.run.ack === undefined && run.ack !== undefined)
      tell({ kind: 'acknowledged', tookMs: Math.max(0, now() - was.beganAt) })
    dueBy(run.dueAt)
    for (const effect of effects) carryOut(stored, effect)
    if (event.kind === 'louder') personal.louder(stored)
    dueBy(now())
  }

  function moveProblem(problem: number, event: RunEvent): void {
    const stored = rows.ofProblem(problem)
    if (stored !== undefined) move(stored, event)
  }

  function stepsFailed(failed: readonly number[]): void {
    for (const run of new Set(failed)) {
      const stored = rows.find(run)
      if (stored?.endedAt === null) move(stored, { kind: 'step failed' })
    }
  }

  /** A run that is due: what happened to its problem meanwhile comes first. */
  function due(stored: StoredRun): void {
    const problem = problems.numbered(stored.problem)
    if (!goesOn(problem, stored)) return move(stored, { kind: 'resolved' })
    // Without a silence it releases a held run.
    move(stored, { kind: isSilenced(problem) ? 'silenced' : 'due' })
  }

  function begin({ problem, level, waitMs, isSilenced }: Arriving, plan: Escalation): void {
    const stored = rows.add(problem, plan, beginRun({ plan, level, now: now(), waitMs }))
    dueBy(stored.run.dueAt)
    if (isSilenced) move(stored, { kind: 'silenced' })
  }

  /** A louder incident names another escalation: the run begins anew with it. */
  function replan(stored: StoredRun, { level, waitMs }: Arriving, plan: Escalation): void {
    const run = beginRun({ plan, level, now: now(), waitMs })
    rows.save({ ...stored, plan }, run, null)
    pageRows.cancel(stored.id, 'another escalation')
    dueBy(run.dueAt)
  }

  return {
    rules,
    rows,
    pageRows,
    personal,
    say: say.person,
    /** Begins the run of a problem, or joins the one that it has. */
    arrive(arriving: Arriving): void {
      const named = rules.escalations.get(arriving.escalation)
      if (named === undefined) return
      const plan = withTarget(named, arriving.target)
      const open = rows.ofProblem(arriving.problem)
      if (open !== undefined && arriving.isAnew && !isAsking(open)) {
        // Quiet ended the problem, which no event told the run.
        move(open, { kind: 'resolved' })
        return begin(arriving, plan)
      }
      if (open === undefined) return arriving.isAcknowledged ? undefined : begin(arriving, plan)
      if (arriving.level >= open.run.level) return
      if (open.plan.name !== plan.name && open.run.phase !== 'held') return replan(open, arriving, plan)
      move(open, { kind: 'louder', level: arriving.level })
    },
    /** `by`: name of a person, or the key of one of the configuration. */
    acknowledged: (problem: number, by: string): void => moveProblem(problem, { kind: 'acknowledged', by: keyOf(by) }),
    resolved: (problem: number): void => moveProblem(problem, { kind: 'resolved' }),
    /** It is over, and may fire again at any time: a run that nobody knows of ends. */
    flapped(problem: number): void {
      const stored = rows.ofProblem(problem)
      if (stored?.run.phase === 'waiting' || stored?.run.phase === 'held') move(stored, { kind: 'resolved' })
    },
    decline: (problem: number, by: string): void => moveProblem(problem, { kind: 'declined', by: keyOf(by) }),
    /** Runs the next step at once. Returns false when the problem has no run. */
    escalate(problem: number, by: string): boolean {
      const stored = rows.ofProblem(problem)
      if (stored !== undefined) move(stored, { kind: 'escalate', by })
      return stored !== undefined
    },
    /** Deletes the runs of a problem that is deleted. */
    forget(problem: number): void {
      pageRows.forget(problem)
      rows.forget(problem)
    },
    /** Makes the steps and the pages that are due. Costs no query while nothing is. */
    next(): void {
      // A silence began, changed or ended.
      if (counts.news.silenceEdges.length > 0 && rows.openCount() > 0) {
        rows.wakeHeld()
        refreshNextDue()
      }
      if (counts.oncall.dueAt > now()) return
      for (const stored of rows.due(DUE)) due(stored)
      stepsFailed(personal.next())
      refreshNextDue()
    },
    isPage: personal.isPage,
    /** A message to people was sent, or is dead. */
    settled(message: number, state: 'sent' | 'dead', detail?: string): void {
      stepsFailed(personal.settled(message, state, detail))
      if (state === 'dead') dueBy(now())
    },
    /** The page of a problem at a destination of the provider is dead. */
    pageFailed(problem: number, target: string, reason: string): void {
      const stored = rows.ofProblem(problem)
      if (stored !== undefined) stepsFailed(personal.givenFailed(stored.id, target, reason))
      dueBy(now())
    },
    shift(byMs: number): void {
      rows.shift(byMs)
      pageRows.shift(byMs)
      refreshNextDue()
    },
    /**
     * Reads the counts, bounds times of a wrong clock, and ends runs whose problem is over, or whose latest incident is not to page
     * (undefined: each is). Inside the first transaction.
     */
    load(isWanted: ((incident: number) => boolean | undefined) | undefined): void {
      pageRows.load()
      for (const stored of rows.load(isWanted !== undefined)) {
        const problem = problems.numbered(stored.problem)
        const { run } = stored
        if (!goesOn(problem, stored)) move(stored, { kind: 'resolved' })
        else if (isWanted?.(problem.lastIncident) === false) move(stored, { kind: 'switched off' })
        // The configuration may have somebody now, or its silence ended before a stop, unheard.
        else if ((run.phase === 'exhausted' && !run.hadPerson) || run.phase === 'held')
          rows.save(stored, { ...run, dueAt: now() }, null)
        else if (run.dueAt !== undefined && run.dueAt > now() + run.waitMs)
          rows.save(stored, { ...run, dueAt: now() + run.waitMs }, null)
      }
      refreshNextDue()
    },
    /** Returns the runs of which nobody took the problem, and what is said of the latest. */
    exhausted(): { readonly runs: number; readonly reason: string } {
      const { runs, last } = rows.exhausted()
      const stored = last === null ? undefined : rows.find(last)
      const title = problems.numbered(stored?.problem ?? 0)?.title ?? ''
      return { runs, reason: stored === undefined ? '' : `nobody took "${title}" (escalation ${stored.plan.name})` }
    },
    /** Returns how often an escalation ended without an answer since the opening, by name. */
    unanswered: (): ReadonlyMap<string, number> => new Map(unanswered.entries()),
  }

  /** Returns the key of the person with the name; the name itself: the configuration has none. */
  function keyOf(by: string): string {
    if (rules.people.has(by)) return by
    for (const [key, { name }] of rules.people) if (name === by) return key
    return by
  }
}

/** Quiet is no answer: a sender that never says the end would stop the asking. It is the end of what a person took. */
const goesOn = (problem: Problem | undefined, { run }: StoredRun): problem is Problem =>
  problem?.state === 'firing' || (problem?.endedBy === 'quiet' && run.phase !== 'acknowledged')

const isAsking = ({ run: { phase } }: StoredRun) => phase === 'waiting' || phase === 'asking'
