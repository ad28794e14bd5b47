import { openDefaultDecide } from '../policy/default.ts'
import { openAlerts } from './alerts/alerts.ts'
import { openAnswers } from './answers/answers.ts'
import { openCopies } from './answers/copies.ts'
import { openHealth } from './deliveries/channel-health.ts'
import { openDeliveryList } from './deliveries/list.ts'
import { openPauses } from './deliveries/pauses.ts'
import { openReplay } from './deliveries/replay.ts'
import type { StoreContext } from './engine/context.ts'
import { emptyCounts } from './engine/counts.ts'
import { openDatabase } from './engine/database.ts'
import { toCodedError } from './engine/errors.ts'
import { openLanes } from './engine/lanes.ts'
import { recover } from './engine/recovery.ts'
import type { Sql } from './engine/sql.ts'
import { engineOf } from './engine/sqlite.ts'
import { openStatements } from './engine/statement.ts'
import { inTransactions, openTransactions } from './engine/transaction.ts'
import { createTurnClock, type TurnClock } from './engine/turn-clock.ts'
import { openHeartbeats } from './heartbeats/heartbeats.ts'
import { NO_HEARTBEATS } from './heartbeats/rules.ts'
import { openAcknowledge } from './incidents/acknowledge.ts'
import { openMarkResolved } from './incidents/mark-resolved.ts'
import { openIncidentDetail, openIncidentRecord } from './incidents/read.ts'
import { openApply } from './journal/apply.ts'
import { openJournalPort } from './journal/port.ts'
import { openQuarantine } from './journal/quarantine.ts'
import { openLogCursors } from './log-cursors.ts'
import { type NoiseParts, openNoise } from './noise/noise.ts'
import { openNoisePort } from './noise/queries/port.ts'
import { openReport } from './noise/queries/report.ts'
import { openNoiseSilences } from './noise/silences/open.ts'
import { openEdits } from './outbox/edits.ts'
import { InFlightCache } from './outbox/in-flight-cache.ts'
import { openOutbox } from './outbox/outbox.ts'
import { openPageGroup } from './outbox/page-group.ts'
import { openQueues } from './outbox/queues.ts'
import { openReclaim } from './outbox/reclaim.ts'
import { openClaimPages, openSettlePage } from './pages/claim.ts'
import { openOncall } from './pages/port.ts'
import { recoverPages } from './pages/recovery.ts'
import { openParts } from './parts.ts'
import { openProblemActions } from './problems/operate.ts'
import { openProblemPort } from './problems/port.ts'
import { openPrune } from './retention.ts'
import { openIncidentList } from './search/incident-list.ts'
import { openStatus } from './status.ts'
import type { StoreOptions } from './store-options.ts'
import { openTurn } from './turn.ts'

/**
 * Incidents, deliveries and pages in SQLite, in one directory, with one writer. All calls
 * belong to one thread and are synchronous; each that changes something is one transaction, durable when it returns
 * unless its port says otherwise, and without any effect when it throws `storage_full` or `storage_down`. After that
 * the store is usable as soon as the disk is. Arguments and results are plain data.
 */
export type Store = ReturnType<typeof openStore>

/**
 * Opens or creates the database and ends the leases of the previous process; nothing is applied. Throws `storage_full`,
 * and `storage_down` also when another process has the database open or a newer version wrote it.
 */
export function openStore(options: StoreOptions, sql: Sql = openDatabase(options.dataDir)) {
  const { channels } = options
  const turnClock = createTurnClock(options.now)
  const { now } = turnClock
  try {
    const [counts, inFlight] = [emptyCounts(), new InFlightCache()]
    const caches = [{ rollback: () => inFlight.clear() }]
    const engine = engineOf(sql)
    const db = openStatements(sql)
    const owner = engine.beginLife()
    const lanes = openLanes({ db, counts, caches, channels, full: options.destinationsFull ?? (() => {}) })
    return composeStore({ db, engine, counts, inFlight, caches, lanes, owner, channels, now }, options, turnClock)
  } catch (error) {
    sql.close()
    throw toCodedError(error)
  }
}

/** Messages about a problem that are edited at each destination. */
const COPIES = 20

type Limits = Omit<StoreOptions, 'dataDir' | 'now'>

function composeStore(base: StoreContext, limits: Limits, { standing }: TurnClock) {
  const { maxIncidents, maxBacklog, oncall: policy, decide = openDefaultDecide(limits) } = limits
  const { answering = [], heartbeats: heartbeatRules = NO_HEARTBEATS, escalationPart } = limits
  const { db } = base
  const parts = openParts(base, limits, {
    decide,
    openings: limits.brief?.part.openOpenings(base, limits.brief),
    shiftAt: (name, at) => schedules?.calendar.shiftAt(name, at),
  })
  const { runs, notices, problems, fulltext } = parts
  const context: NoiseParts = { ...parts, ...openNoise(parts, limits) }
  const alerts = openAlerts(context, problems)
  const heartbeats = openHeartbeats(context, heartbeatRules, context.elapsed)
  const reclaim = openReclaim(context)
  const quarantine = openQuarantine(context)
  const transactions = openTransactions(context, [context.bundles, context.tellings])
  const { write, writeWithoutFsync } = transactions
  const copies = openCopies(context, answering, limits.copies ?? COPIES)
  const { silences, arrive, endHolds, holdDue, silencePort, pressed } = openNoiseSilences(context, {
    ...{ copies, write },
    recorded: (...command: Parameters<typeof commands.silenced>) => commands.silenced(...command),
  })
  const schedules =
    limits.schedules && limits.openSchedules?.(context, limits.schedules, { write, say: runs?.say ?? (() => {}) })
  write(() => {
    const unsent = recover(context, reclaim)
    recoverPages(context, policy)
    heartbeats.load()
    schedules?.start()
    if (limits.silences !== undefined) silences.start(limits.silences)
    for (const message of unsent) runs?.settled(message, 'dead', 'the channel is off')
  })
  const applying = openApply(context, { arrive, silences, heartbeats, alerts, quarantine, copies })
  const briefs = limits.briefReplies && limits.openBriefReplies?.(context, limits.briefReplies)
  const claimPages = openClaimPages(context, policy?.provider)
  const withGroup = openPageGroup(context)
  const outbox = openOutbox(context, {
    ...{ reclaim, holdDue, edits: openEdits(context, briefs), briefs, settlePage: openSettlePage(context) },
    claimPages: (slots) => claimPages(slots).map(withGroup),
  })
  const markResolved = openMarkResolved(context, fulltext.reindex)
  const incidents = openAcknowledge(context, markResolved, endHolds)
  const actions = openProblemActions(context, incidents, endHolds)
  const {
    port: answers,
    withAnswers,
    acknowledgeMore,
    ...commands
  } = openAnswers(context, write, { incidents, actions, answering, copies, pressed })
  const oncall = openOncall(context)
  const health = openHealth(context, openQueues(context).backlogOf)
  const prune = openPrune(context, maxIncidents, schedules !== undefined)
  const { isPaused, ...pauses } = openPauses(context)
  const cursors = openLogCursors(db)
  return {
    turn: openTurn(context, {
      ...{ transactions, standing, outbox, oncall, silences, schedules, prune, copies },
      ...{ withAnswers, acknowledgeMore, apply: applying.apply },
    }),
    journal: openJournalPort(context, {
      ...{ transactions, applyAgain: applying.applyAgain, quarantine, maxIncidents },
      pagingOff: policy === undefined,
      listensToAll: heartbeatRules.listens,
    }),
    outbox: {
      nextDueAt: outbox.nextDueAt,
      ...inTransactions(write, { makeDueNow: outbox.makeDueNow, wayBack: notices.wayBack }),
    },
    oncall: { facts: oncall.facts },
    channels: { ...inTransactions(write, pauses), isPaused, health },
    /** Reads of what is applied. A file that cannot be read throws SQLite's own error. */
    incidents: {
      list: openIncidentList(context),
      detail: openIncidentDetail(context),
      record: openIncidentRecord(context),
      deliveries: openDeliveryList(context),
    },
    noise: openNoisePort(context),
    silences: silencePort,
    /** Undefined: no schedule is configured. */
    schedules: schedules?.port,
    operator: inTransactions(write, { ...openReplay(context, maxBacklog), ...commands.operator }),
    report: openReport(context),
    answers,
    oncallRuns: runs && escalationPart?.openRunRecords(context, runs, problems),
    oncallPages:
      runs && escalationPart?.openPresses(context, { write, runs, problems, acknowledge: commands.acknowledgeAs }),
    alerts: { page: alerts.page },
    heartbeats: heartbeats.port(write),
    problems: openProblemPort(context, write, commands.actions),
    /** Undefined: no history is kept. */
    brief: limits.brief?.part.openBriefPort(context, limits.brief, write, writeWithoutFsync),
    cursors: { ...cursors, ...inTransactions(write, { save: cursors.save }) },
    /** Work that waits for a quiet moment. `index` is without fsync: a power cut may undo it. `checkpoint` releases all that is applied. */
    maintenance: {
      ...inTransactions(write, { prune }),
      ...inTransactions(writeWithoutFsync, { index: fulltext.index }),
      checkpoint: transactions.checkpoint,
    },
    status: openStatus(context, { write, health, oncall, answering }),
    /** Safe to call twice. */
    close() {
      if (db.sql.isOpen) db.sql.close()
    },
  }
}
