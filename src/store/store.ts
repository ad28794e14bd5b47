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
import { openNotifyStatus } from './incidents/notify-status.ts'
import { openIncidentDetail, openIncidentRecord } from './incidents/read.ts'
import { openApply } from './journal/apply.ts'
import { openIdempotencyKeys } from './journal/idempotency.ts'
import { openPayloads } from './journal/payloads.ts'
import { openJournalPort } from './journal/port.ts'
import { openQuarantine } from './journal/quarantine.ts'
import { openLogCursors } from './log-cursors.ts'
import { openBurn } from './noise/burn.ts'
import { openDecisions } from './noise/decisions.ts'
import { type NoiseParts, openNoise } from './noise/noise.ts'
import { openNoisePort } from './noise/queries/port.ts'
import { openReport } from './noise/queries/report.ts'
import { openAccounts } from './noise/silences/accounts.ts'
import { openCauses } from './noise/silences/causes.ts'
import { openNoiseSilences } from './noise/silences/open.ts'
import { openEdits } from './outbox/edits.ts'
import { openFollowUps } from './outbox/follow-ups.ts'
import { InFlightCache } from './outbox/in-flight-cache.ts'
import { openLeases } from './outbox/lease.ts'
import { openLedger } from './outbox/ledger.ts'
import { openNotices } from './outbox/notices.ts'
import { openOutbox } from './outbox/outbox.ts'
import { openPageGroup } from './outbox/page-group.ts'
import { openQueues } from './outbox/queues.ts'
import { openReclaim } from './outbox/reclaim.ts'
import { openClaimPages, openSettlePage } from './pages/claim.ts'
import { openPages } from './pages/pages.ts'
import { openOncall } from './pages/port.ts'
import { recoverPages } from './pages/recovery.ts'
import type { StoreParts } from './parts.ts'
import { openProblemActions } from './problems/operate.ts'
import { openProblemPort } from './problems/port.ts'
import { openProblems } from './problems/problems.ts'
import { openPrune } from './retention.ts'
import { openFulltext } from './search/fulltext.ts'
import { openIncidentList } from './search/incident-list.ts'
import { openStatus } from './status.ts'
import type { StoreOptions } from './store-options.ts'
import { openTellings } from './tellings/tellings.ts'
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
  const { maxIncidents, maxBacklog, oncall: policy, groupOf, decide = openDefaultDecide(limits) } = limits
  const { answering = [], elapsed = () => 0, heartbeats: heartbeatRules = NO_HEARTBEATS } = limits
  const { db } = base
  const leases = openLeases(base)
  const burn = openBurn(base, limits.slo)
  const notices = openNotices(base, {
    ...{ leases, burn },
    ...(limits.escalationPart && { exhausted: () => runs?.exhausted() ?? { runs: 0, reason: '' } }),
  })
  const accounts = openAccounts(base, leases, (...message) => runs?.personal.compose(...message))
  const payloads = openPayloads(base)
  const fulltext = openFulltext(base, payloads)
  const { queueReindex, reindex } = fulltext
  const causes = openCauses(base, payloads)
  const openings = limits.brief?.part.openOpenings(base, limits.brief)
  const problems = openProblems(base, {
    ...{ openings, queueReindex, watch: causes, flapRules: limits.flapping ?? { enable: false } },
  })
  const pages = openPages(base, {
    ...{ notices, problems, forgotten: limits.pageForgotten ?? (() => {}), runs: () => runs },
    markResolved: openMarkResolved(base, queueReindex),
  })
  const { escalations: rules, escalationPart } = limits
  const say = rules && escalationPart?.openSay(base, { rules, accounts })
  const runs =
    rules &&
    say &&
    escalationPart?.openRuns(base, rules, {
      ...{ problems, payloads, accounts, notices, pages, say },
      shiftAt: (name, at) => schedules?.calendar.shiftAt(name, at),
    })
  const parts: StoreParts = {
    ...{
      ...base,
      decide,
      groupOf,
      elapsed,
      payloads,
      fulltext,
      causes,
      burn,
      problems,
      notices,
      accounts,
      leases,
      pages,
      runs,
      openings,
    },
    decisions: openDecisions(db),
    keys: openIdempotencyKeys(db),
    statusTracker: openNotifyStatus(base),
    ledger: openLedger(base),
    tellings: openTellings(base, problems),
    followUps: openFollowUps(base, limits.threadedChannels ?? []),
  }
  const context: NoiseParts = { ...parts, ...openNoise(parts, limits) }
  const alerts = openAlerts(context, problems)
  const heartbeats = openHeartbeats(context, heartbeatRules, elapsed)
  const reclaim = openReclaim(context)
  const quarantine = openQuarantine(context)
  const transactions = openTransactions(context)
  const { write, writeWithoutFsync } = transactions
  const copies = openCopies(context, { answering, copies: limits.copies ?? COPIES })
  const { silences, arrive, endHolds, holdDue, silencePort, pressed } = openNoiseSilences(context, {
    ...{ copies, write },
    recorded: (...command: Parameters<typeof commands.silenced>) => commands.silenced(...command),
  })
  const sayTo = say?.person ?? (() => {})
  const schedules = limits.schedules && limits.openSchedules?.(context, limits.schedules, { write, say: sayTo })
  write(() => {
    recover(context, reclaim)
    recoverPages(context, policy)
    heartbeats.load()
    schedules?.start()
    if (limits.silences !== undefined) silences.start(limits.silences)
  })
  const applying = openApply(context, { arrive, silences, heartbeats, alerts, quarantine, copies })
  const briefs = limits.briefReplies && limits.openBriefReplies?.(context, limits.briefReplies)
  const claimPages = openClaimPages(context, policy?.provider)
  const withGroup = openPageGroup(context)
  const outbox = openOutbox(context, {
    ...{ reclaim, holdDue, edits: openEdits(context, briefs), briefs, settlePage: openSettlePage(context) },
    claimPages: (slots) => claimPages(slots).map(withGroup),
  })
  const markResolved = openMarkResolved(context, reindex)
  const incidents = openAcknowledge(context, { markResolved, endHolds })
  const actions = openProblemActions(context, { incidents, endHolds })
  const {
    port: answers,
    withAnswers,
    acknowledgeMore,
    ...commands
  } = openAnswers(context, { write, incidents, actions, answering, copies, pressed })
  const oncall = openOncall(context)
  const health = openHealth(context, openQueues(context).backlogOf)
  const prune = openPrune(context, { maxIncidents, hasSchedules: schedules !== undefined })
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
    operator: inTransactions(write, {
      ...openReplay(context, maxBacklog),
      ...commands.operator,
    }),
    report: openReport(context),
    answers,
    oncallRuns: runs && escalationPart?.openRunRecords(context, { ...runs, problems }),
    oncallPages:
      runs && escalationPart?.openPresses(context, { write, runs, problems, acknowledge: commands.acknowledgeAs }),
    alerts: { page: alerts.page },
    heartbeats: heartbeats.port(write),
    problems: openProblemPort(context, write, commands.actions),
    /** Undefined: no history is kept. */
    brief: limits.brief?.part.openBriefPort(context, limits.brief, { write, writeWithoutFsync }),
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
