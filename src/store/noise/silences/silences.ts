import { SILENCE_REMINDER_MINUTES } from '../../../domain/delivery/notice.ts'
import { conditionsText } from '../../../policy/describe.ts'
import type { Subject } from '../../../policy/fields.ts'
import { childOf } from '../../../policy/silences/equal.ts'
import type { CompiledSilence, CompileSilence, SilenceSettings } from '../../../policy/silences/settings.ts'
import { openShare } from '../../engine/share.ts'
import type { StoreParts } from '../../parts.ts'
import type { OncallChange } from '../../ports/oncall.ts'
import type { SilenceEdge, SilenceRules } from '../../ports/silences.ts'
import type { Added } from '../../problems/problems.ts'
import { NO_SUMS } from '../../tellings/sums.ts'
import { openCaused } from './caused.ts'
import { openConfigured } from './configured.ts'
import type { Holding } from './holding.ts'
import {
  edgeOf,
  isFollowed,
  type LiveSilence,
  liveSilences,
  nextEdgeAt,
  type OpenWindow,
  type SilenceOrigin,
} from './live.ts'
import type { Release } from './release.ts'
import { type SilenceRows, settingsOf, windowOf } from './rows.ts'

const REMINDER_MS = SILENCE_REMINDER_MINUTES * 60_000
/** A child looks at so many incidents before its cause for what still waits: many may open in one storm. */
const CHILD_WAITING = 64
/** Names the configuration as the one that ended a silence. */
const BY_CONFIGURATION = 'the configuration'

interface SilencesDeps {
  readonly rows: SilenceRows
  readonly holding: Holding
  readonly release: Release
  /** The time of a silence is over; its window is open still. */
  over(live: LiveSilence): void
}

/**
 * The silences and their windows. States of a window: none, open; it opens and closes at the edges that `edgeOf` finds,
 * each in one transaction with all that follows. Without silences nothing here costs anything. Inside `write`.
 */
export type Silences = ReturnType<typeof openSilences>

export function openSilences(context: StoreParts, deps: SilencesDeps) {
  const { counts, now, tellings, causes, problems } = context
  const { rows, holding, release } = deps
  const inParts = openShare(context.engine, context.elapsed)
  let compile: CompileSilence | undefined
  let isStarted = false

  const caused = openCaused(context, { set, settle, add: (settings) => add('cause', settings) })

  /** Number of the incident that is about to be applied; 0: none is. */
  let arriving = 0
  const arrived = () => {
    arriving = 0
  }
  context.caches.push({ commit: arrived, rollback: arrived })

  const find = (id: number) => counts.silences.find(id)

  const withEdge = (live: Omit<LiveSilence, 'edgeAt'>) => ({ ...live, edgeAt: nextEdgeAt(live, now(), REMINDER_MS) })

  function set(live: Omit<LiveSilence, 'edgeAt'>): LiveSilence {
    const next = withEdge(live)
    const known = counts.silences.all.some(({ id }) => id === next.id)
    const { all } = counts.silences
    counts.silences = liveSilences(known ? all.map((each) => (each.id === next.id ? next : each)) : [...all, next])
    return next
  }

  function saveWindow(live: LiveSilence, window: OpenWindow | undefined): LiveSilence {
    const next = set({ ...live, window })
    rows.saveWindow(next)
    return next
  }

  function tell({ id, settings }: LiveSilence, action: SilenceEdge['action'], detail: string): void {
    const silenceEdges = [...counts.news.silenceEdges, { silence: id, name: settings.name, action, detail }]
    counts.news = { ...counts.news, silenceEdges }
  }

  function open(live: LiveSilence): void {
    tellings.sums.set(live.id, release.keep(live.id) ?? NO_SUMS)
    const to = live.compiled.windowAt(now()).until
    const openedAfter = Math.max(counts.appliedUpTo, arriving - 1)
    const { parent, problem } = live.settings
    const from = parent ? openedAfter - CHILD_WAITING : (problems.numbered(problem?.id ?? 0)?.opening ?? 1) - 1
    const heldThrough = Math.max(rows.beforeFirstIncident(), from)
    saveWindow(live, { from: now(), to, reminded: false, quietAt: now(), openedAfter, heldThrough })
    tell(live, 'began', conditionsText(live.settings))
  }

  /** Goes on with a silence that does not hold all yet that waited when it opened. */
  function holdMore(changes: OncallChange[], destinations: Set<number>): boolean {
    const [live] = counts.silences.opening
    if (live?.window === undefined) return false
    const more = holding.waiting(live, live.window)
    saveWindow(live, { ...live.window, heldThrough: more.heldThrough })
    changes.push(...more.changes)
    for (const destination of more.destinations) destinations.add(destination)
    return true
  }

  function close(live: LiveSilence, window: OpenWindow): void {
    const { alerts, problems: all, firing, criticals, pages, lastAt } = tellings.sums.find(live.id)
    release.begin({ ...live, window: { ...window, to: Math.min(window.to, now()) } })
    const account = { alerts, problems: all, resolved: all - firing, firing, criticals, pages }
    rows.account(live.id, { ...account, from: window.from, to: now() }, lastAt)
    tell(live, 'ended', `${alerts} incidents of ${all} problems held, ${firing} still firing`)
    if (live.settings.parent !== undefined)
      rows.account(live.settings.parent.silence, { ...account, from: window.from, to: now() }, lastAt)
    saveWindow(live, undefined)
  }

  function finish(live: LiveSilence, by: string | undefined): void {
    for (const child of counts.silences.childrenOf(live.id)) finish(child, by)
    if (live.window !== undefined) close(live, live.window)
    rows.end(live.id, now(), by)
    causes.clear(live.id)
    counts.silences = liveSilences(counts.silences.all.filter(({ id }) => id !== live.id))
  }

  /** Follows one silence over all its edges up to now. */
  function settle(unsettled: LiveSilence): void {
    const live = caused.find(unsettled)
    if (live.causesAfter !== undefined) return
    if (live.settings.parent !== undefined && !causes.has(live.id)) return finish(live, undefined)
    const { window } = live
    const edge = edgeOf(live, now(), REMINDER_MS)
    switch (edge) {
      case 'open':
        return open(live)
      case 'prolong':
        if (window !== undefined)
          saveWindow(live, { ...window, to: live.compiled.windowAt(now()).until, reminded: false })
        return
      case 'remind':
        if (window === undefined) return
        if (live.settings.parent === undefined) release.remind(live, window)
        saveWindow(live, { ...window, reminded: true })
        return
      case 'quiet':
      case 'end':
        return finish(live, undefined)
      case 'close': {
        deps.over(live)
        if (window !== undefined) close(live, window)
        const closed = find(live.id)
        if (closed !== undefined) settle(closed)
        return
      }
      case 'none':
        if (withEdge(live).edgeAt !== live.edgeAt) set(live)
        return
      default:
        return edge satisfies never
    }
  }

  function compiledOf(settings: SilenceSettings): CompiledSilence {
    if (compile === undefined) throw new Error('silences were not started')
    return compile(settings)
  }
  const compiledFor = (id: number, settings: SilenceSettings) => causes.bound(id, settings, compiledOf(settings))

  const unloaded = ({ id, origin }: Pick<LiveSilence, 'id' | 'origin'>, settings: SilenceSettings) =>
    ({
      ...{ id, origin, settings },
      compiled: compiledFor(id, settings),
      causesAfter: isFollowed(settings) ? 0 : undefined,
    }) as const

  /** A window that is open follows the new end; what it holds stays held until then. */
  function changed(live: LiveSilence, settings: SilenceSettings): LiveSilence {
    const compiled = compiledFor(live.id, settings)
    rows.saveSettings(live.id, settings)
    const { active, until } = compiled.windowAt(now())
    const { window } = live
    const follows = settings.untilResolved && !live.settings.untilResolved
    const reminded = window?.reminded === true && until <= window.to
    const next = window && { ...window, to: active ? until : now(), reminded, ...(follows && { quietAt: now() }) }
    for (const child of counts.silences.childrenOf(live.id)) {
      const own = childOf(live.id, settings, child.settings.parent?.values ?? [])
      if (own !== undefined) changed(child, own)
    }
    return saveWindow({ ...live, settings, compiled, ...(follows && { causesAfter: 0 }) }, next)
  }

  function add(origin: SilenceOrigin, settings: SilenceSettings): number {
    const id = rows.add(origin, settings, now())
    set({ ...unloaded({ id, origin }, settings), window: undefined })
    return id
  }

  function load(): void {
    const loaded = rows.live().map((row) => ({ ...unloaded(row, settingsOf(row)), window: windowOf(row, now()) }))
    counts.silences = liveSilences(loaded.map(withEdge))
    release.load()
  }

  function end(id: number, by: string): void {
    const live = find(id)
    if (live !== undefined) finish(live, by)
  }

  const follow = openConfigured(context, {
    rows,
    compile: compiledOf,
    add: (settings) => void add('config', settings),
    change: changed,
    tick: () => tick(true),
    finish: (id) => end(id, BY_CONFIGURATION),
  })

  function tick(all: boolean): OncallChange[] {
    const due = counts.silences.all.filter(({ edgeAt }) => all || edgeAt <= now())
    // Those that open go first: what one holds on for another is told by neither.
    for (const { id } of due.sort((a, b) => Number(a.window !== undefined) - Number(b.window !== undefined))) {
      const current = find(id)
      if (current !== undefined) settle(current)
    }
    const changes: OncallChange[] = []
    const destinations = new Set<number>()
    inParts(
      () => releaseMore(changes),
      () => holdMore(changes, destinations),
    )
    holding.refresh(destinations)
    return changes
  }

  function releaseMore(changes: OncallChange[]): boolean {
    if (counts.releasing.length === 0) return false
    changes.push(...release.next())
    return true
  }

  return {
    /** Compiles what is stored and follows the configuration; the time of a stop may have ended windows. */
    start(rules: SilenceRules): OncallChange[] {
      compile = rules.compile
      load()
      const changes = follow(rules.configured)
      isStarted = true
      return changes
    },
    isStarted: (): boolean => isStarted,
    compiledOf,
    /**
     * Opens and closes the windows that are due, and goes on with what these hold. `all`: the clock was set, and any may be due.
     */
    tick,
    /**
     * Opens windows that an incident causes, and tells what closed ones hold of its problem. After its problem has it and
     * before it is applied.
     */
    prepare(subject: Subject, incident: number, { problem, previous }: Added): readonly OncallChange[] {
      const isFollowing = counts.silences.followed.length + counts.silences.ofProblem.size > 0
      if (!isFollowing && counts.releasing.length === 0) return []
      arriving = incident
      const changes = previous === null ? [] : release.problem(problem)
      if (isFollowing) caused.follow(subject, incident, problem)
      return changes
    },
    /** Starts must have been called, as for the following. */
    add: (settings: SilenceSettings, origin: 'api' | 'answer' = 'api'): number => add(origin, settings),
    /** Returns false for one that is not live. */
    change(id: number, settings: SilenceSettings): boolean {
      const live = find(id)
      if (live !== undefined) changed(live, settings)
      return live !== undefined
    },
    /** Does nothing for one that is not live. */
    end,
    find,
  }
}
