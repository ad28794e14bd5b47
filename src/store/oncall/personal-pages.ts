import type { ChannelName } from '../../domain/delivery/delivery.ts'
import { counted, PAGE_PROBLEMS, type PageNotice, type PageProblem } from '../../domain/delivery/notice.ts'
import type { OncallRules, Target, Way } from '../../policy/oncall/escalation.ts'
import type { Asked, RunEffect } from '../../policy/oncall/run-state.ts'
import type { pagesOf } from '../../policy/oncall/ways.ts'
import type { Problem } from '../../policy/problem.ts'
import { STATE } from '../engine/column-codes.ts'
import type { StoreContext } from '../engine/context.ts'
import type { Accounts } from '../noise/silences/accounts.ts'
import type { Problems } from '../problems/problems.ts'
import type { NewPage, PageRow, PageRows } from './page-rows.ts'
import type { RunRows, StoredRun } from './run-rows.ts'
import type { Say } from './say.ts'

/** Pages that one turn looks at. */
const DUE = 256
/** Rest of a way after a message: of chats, and of mail and gateways that name none. */
const CHAT_PACE_MS = 30_000
const PACE_MS = 120_000
/** Lateness below is not said. */
const LATE_MS = 30_000

interface PersonalDeps {
  readonly rules: OncallRules
  readonly rows: PageRows
  readonly runs: Pick<RunRows, 'find'>
  readonly accounts: Pick<Accounts, 'raise'>
  readonly say: Say
  readonly problems: Pick<Problems, 'numbered'>
  /** Returns the ways of a person with the times at which they are due. */
  waysOf(person: string, level: number): ReturnType<typeof pagesOf>
  /** Returns whether a silence holds the run: its next step waits, and nothing more is sent. */
  isHeld(run: StoredRun): boolean
  /** Makes the page of a problem at a destination of the provider due. */
  page(problem: Problem, target: string | undefined): void
}

type Planned = Pick<NewPage, 'step' | 'round' | 'target' | 'because' | 'lateMs'>
/** Detail of a target that names nobody now. */
const NOBODY = 'nobody'
/** Detail of a page that the provider has. */
const GIVEN = 'given to the provider'

/** A step that asks, with the run that it belongs to. */
type Asking = Extract<RunEffect, { readonly kind: 'ask' | 'no person' }>

/** Plans what a step asks, and tells people: all that is due to one way of a person is one message. Inside `write`. */
export function openPersonalPages(context: StoreContext, deps: PersonalDeps) {
  const { now } = context
  const { rules, rows, runs, accounts, problems, say } = deps

  const wayOf = ({ person, way }: Pick<PageRow, 'person' | 'way'>): Way | undefined =>
    person === null || way === null ? undefined : rules.people.get(person)?.ways[way]

  /** Its run waits for an answer still. */
  function asks({ run }: PageRow): boolean {
    const stored = runs.find(run)
    const { phase } = stored?.run ?? {}
    if (stored === undefined || (phase !== 'waiting' && phase !== 'asking' && phase !== 'exhausted')) return false
    return !deps.isHeld(stored)
  }

  function paceOf(way: Way): number {
    if (way.kind === 'gateway') return rules.gatewayPaces.get(way.gateway) ?? PACE_MS
    return way.kind === 'channel' && way.channel !== 'email' ? CHAT_PACE_MS : PACE_MS
  }

  function askPerson(stored: StoredRun, person: string, planned: Planned): void {
    rows.replace(stored.id, person, 'asked again')
    for (const { way, dueAt } of deps.waysOf(person, stored.run.level))
      rows.add({ ...planned, run: stored.id, person, way, dueAt })
  }

  function ask(stored: StoredRun, { target, people, because }: Asked, { step, round, ...asking }: Asking): void {
    const lateMs = asking.kind === 'ask' ? asking.lateMs : 0
    const planned = { step, round, target: nameOf(target), because, lateMs }
    for (const person of people) askPerson(stored, person, planned)
    if (target.kind === 'provider') {
      const problem = problems.numbered(stored.problem)
      if (problem !== undefined) deps.page(problem, target.target)
      rows.add({ ...planned, run: stored.id, detail: GIVEN })
    } else if (target.kind === 'channel') rows.add({ ...planned, run: stored.id, dueAt: now() })
    else if (people.length === 0) rows.add({ ...planned, run: stored.id, detail: NOBODY })
  }

  /** Tells all that is due to the way of the page, or to the channel; a way that rests waits. Returns false if it has none. */
  function tell(page: PageRow): boolean {
    const way = wayOf(page)
    if (!asks(page)) rows.settle(page, 'skipped', 'not asked any more')
    else if (page.person !== null && way === undefined) {
      rows.settle(page, 'skipped', 'gone')
      return false
    } else if (way?.kind === 'provider') {
      const problem = problems.numbered(runs.find(page.run)?.problem ?? 0)
      if (problem !== undefined) deps.page(problem, way.target)
      rows.settle(page, 'sent', GIVEN)
    } else return tellBy(page, way)
    return true
  }

  function tellBy(page: PageRow, way: Exclude<Way, { readonly kind: 'provider' }> | undefined): boolean {
    const restsUntil = way === undefined ? 0 : rows.toldAt(page.person ?? '', page.way ?? 0) + paceOf(way)
    // The clock may have been set back.
    if (way !== undefined && restsUntil > now() && restsUntil <= now() + paceOf(way)) {
      rows.wait(page, restsUntil)
      return true
    }
    const lane = say.laneOf(way ?? channelIn(page.target))
    if (lane === undefined) {
      failed(page, 'the channel is off')
      return false
    }
    const due = way === undefined ? [page] : rows.waiting(page.person ?? '', page.way ?? 0).filter(asks)
    const message = accounts.raise(lane, { kind: 'page', ...say.callOf(way) })
    for (const each of due) rows.tell(each, message)
    return true
  }

  /** The next way of the person is due at once. */
  function failed(page: PageRow, detail: string): void {
    rows.settle(page, 'dead', detail)
    rows.hurry(page)
  }

  /** Problems that one press takes, in one line to each way; undefined: no press is at work. */
  let taken: Map<string, { readonly way: Way; readonly text: string; more: number }> | undefined

  /** Sends a line to those who were asked by the run. */
  function tellAll(run: number, text: string, but: string): void {
    const told = rows.ofRun(run).filter(({ person, message }) => person !== null && person !== but && message !== null)
    for (const [key, page] of new Map(told.map((each) => [`${each.person} ${each.way}`, each]))) {
      const way = wayOf(page)
      const known = taken?.get(key)
      if (known !== undefined) known.more++
      else if (way !== undefined && taken !== undefined) taken.set(key, { way, text, more: 0 })
      else if (way !== undefined) say.byWay(way, text)
    }
  }

  return {
    /** Runs what takes many problems: a person who was asked for them gets one line. */
    together<T>(work: () => T): T {
      const lines: NonNullable<typeof taken> = new Map()
      taken = lines
      try {
        const done = work()
        for (const { way, text, more } of lines.values())
          say.byWay(way, more === 0 ? text : `${text}, and ${counted(more, 'more problem')}`)
        return done
      } finally {
        taken = undefined
      }
    },
    /** A step asks: plans its pages. */
    ask(stored: StoredRun, asking: Asking): void {
      for (const asked of asking.asked) ask(stored, asked, asking)
    },
    /** A step was passed: the problem is not loud enough for it. */
    passed({ id }: StoredRun, { step, round }: Pick<Asking, 'step' | 'round'>): void {
      rows.add({ run: id, step, round, target: '', because: '', lateMs: 0, detail: 'not loud enough' })
    },
    /** The problem is louder: what waits for the end of quiet hours may be due earlier. */
    louder({ id, run }: StoredRun): void {
      for (const page of rows.ofRun(id)) {
        if (page.state !== STATE.pending || page.person === null || page.way === null) continue
        const { dueAt = Infinity } = deps.waysOf(page.person, run.level)[page.way] ?? {}
        if (dueAt < (page.due_at ?? 0)) rows.wait(page, dueAt)
      }
    },
    /** Tells those who were asked that somebody has the problem. `by`: key of a person, or a name. */
    standDown({ id, problem }: StoredRun, by: string): void {
      const name = rules.people.get(by)?.name ?? by
      tellAll(id, `✅ ${name} has it: ${problems.numbered(problem)?.title ?? ''}`, by)
    },
    /**
     * Tells what is due, and brings the next way forward of what is on its way for too long. Returns the runs whose step has no
     * page left that may arrive: the ways are gone, or their channels off.
     */
    next(): number[] {
      const lost = new Set<number>()
      for (const page of rows.due(DUE)) {
        if (page.state === STATE.pending) {
          // An earlier page of the list may have taken it along.
          if (rows.isDue(page) && !tell(page)) lost.add(page.run)
          continue
        }
        rows.wait(page, null)
        rows.hurry(page)
      }
      return [...lost].filter(hasFailed)
    },
    /** A message was sent, or is dead. Returns the runs of dead ones whose step has no page left that may arrive. */
    settled(message: number, state: 'sent' | 'dead', detail?: string): number[] {
      // A gateway may report later that it failed.
      const open = state === 'dead' ? [STATE.sending, STATE.sent] : [STATE.sending]
      const pages = rows.ofMessage(message).filter((page) => open.includes(page.state as 1 | 2))
      for (const page of pages) state === 'dead' ? failed(page, detail ?? '') : rows.settle(page, 'sent')
      return state === 'dead' ? pages.map(({ run }) => run).filter(hasFailed) : []
    },
    /** The provider did not take what the run gave to a destination of it. Returns the run if its step has no page left. */
    givenFailed(run: number, target: string, detail: string): number[] {
      const given = rows.ofRun(run).findLast((page) => page.detail === GIVEN && providerOf(page) === target)
      if (given === undefined) return []
      failed(given, detail)
      return [run].filter(hasFailed)
    },
    /** The message is one of pages. */
    isPage: (message: number): boolean => rows.ofMessage(message).length > 0,
    /** Returns what a message says now; undefined: nothing, its problems are taken or over. */
    compose(message: number, mayRepeat: boolean): PageNotice | undefined {
      const pages = rows.ofMessage(message).filter(({ state }) => state === STATE.sending)
      const asking = pages.filter(asks)
      for (const page of pages) if (!asking.includes(page)) rows.settle(page, 'skipped', 'not asked any more')
      const [first] = asking
      if (first === undefined) return undefined
      const numbers = [...new Set(asking.map(({ run }) => runs.find(run)?.problem ?? 0))]
      const found = numbers.flatMap((number) => problems.numbered(number) ?? []).sort(byLoudness)
      const stored = runs.find(first.run)
      const ofStep = (page: PageRow) => page.run === first.run && page.step === first.step && page.round === first.round
      return {
        kind: 'page',
        message,
        ...(first.person !== null && { person: first.person }),
        name: rules.people.get(first.person ?? '')?.name ?? '',
        escalation: stored?.plan.name ?? '',
        step: first.step + 1,
        because: `${first.target}${first.because === '' ? '' : `, ${first.because}`}`,
        lateMs: first.late_ms >= LATE_MS ? first.late_ms : 0,
        mayRepeat,
        nobody: first.person === null && rows.ofRun(first.run).some((page) => ofStep(page) && page.detail === NOBODY),
        problems: found.length,
        shown: found.slice(0, PAGE_PROBLEMS).map(shownOf),
      }
    },
  }

  /** Name of the destination of the provider that has a page; empty: the default one. */
  function providerOf(page: PageRow): string | undefined {
    if (page.person === null) return page.target.split(':')[1] ?? ''
    const way = wayOf(page)
    return way?.kind === 'provider' ? way.target : undefined
  }

  /** No page of the last step of the run may still arrive, or has. */
  function hasFailed(run: number): boolean {
    const pages = rows.ofRun(run)
    const last = pages.at(-1)
    const asked = pages.filter(({ step, round }) => step === last?.step && round === last.round)
    const people = asked.filter(({ person }) => person !== null)
    const to = (kind: Target['kind']) =>
      asked.filter((page) => page.person === null && page.target.split(':')[0] === kind)
    // A provider has a person, too.
    const [step = []] = [people, to('provider'), to('channel')].filter(({ length }) => length > 0)
    const isOver = ({ state, detail }: PageRow) => state === STATE.dead || (state === STATE.skipped && detail !== GIVEN)
    return step.length > 0 && step.every(isOver)
  }
}

/** Name of a target as in the configuration. */
function nameOf(target: Target): string {
  switch (target.kind) {
    case 'schedule':
    case 'person':
      return `${target.kind}:${target.name}`
    case 'channel':
      return ['channel', target.channel, ...(target.target === undefined ? [] : [target.target])].join(':')
    case 'provider':
      return target.target === undefined ? 'provider' : `provider:${target.target}`
    default:
      return target satisfies never
  }
}

function channelIn(target: string): { readonly channel: ChannelName; readonly target?: string } {
  const [, channel = '', ...rest] = target.split(':')
  return { channel: channel as ChannelName, ...(rest.length > 0 && { target: rest.join(':') }) }
}

const byLoudness = (one: Problem, other: Problem) => one.level - other.level || one.openedAt - other.openedAt

const shownOf = ({ id, title, service, severity, openedAt, lastId }: Problem): PageProblem => ({
  ...{ problem: id, title, service, severity },
  since: openedAt,
  incidentId: lastId,
})
