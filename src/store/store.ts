import { openDefaultDecide } from '../policy/default.ts'
import { openAlerts } from './alerts/alerts.ts'
import { openAnswers } from './answers/answers.ts'
import { openCopies } from './answers/copies.ts'
import { EACH } from './bundles/rules.ts'
import { openHealth } from './deliveries/channel-health.ts'
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
import { inTransactions, openTransactions } from './engine/transaction.ts'
import { createTurnClock, type TurnClock } from './engine/turn-clock.ts'
import { openHeartbeats } from './heartbeats/heartbeats.ts'
import { NO_HEARTBEATS } from './heartbeats/rules.ts'
import { openAcknowledge } from './incidents/acknowledge.ts'
import { openMarkResolved } from './incidents/mark-resolved.ts'
import { openNotifyStatus } from './incidents/notify-status.ts'
import { openIncidentPort } from './incidents/port.ts'
import { openAppliedUpTo } from './journal/applied-up-to.ts'
import { openApply } from './journal/apply.ts'
import { openIdempotencyKeys } from './journal/idempotency.ts'
import { openPayloads } from './journal/payloads.ts'
import { openJournalPort } from './journal/port.ts'
import { openQuarantine } from './journal/quarantine.ts'
import { openLogCursors } from './log-cursors.ts'
import { openBurn } from './noise/burn.ts'
import { openDecisions } from './noise/decisions.ts'
import { NO_FALLBACKS } from './noise/fallbacks.ts'
import { openNoise } from './noise/noise.ts'
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
import { openLosePages, recoverPages } from './pages/recovery.ts'
import type { ChannelPort } from './ports/channels.ts'
import type { MaintenancePort } from './ports/maintenance.ts'
import type { OperatorPort } from './ports/operator.ts'
import { openProblemActions } from './problems/operate.ts'
import { openProblemPort } from './problems/port.ts'
import { openProblems } from './problems/problems.ts'
import { openPrune } from './retention.ts'
import { openFulltext } from './search/fulltext.ts'
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
export function openStore(options: StoreOptions, db: Sql = openDatabase(options.dataDir)) {
  const { channels } = options
  const turnClock = createTurnClock(options.now)
  const { now } = turnClock
  try {
    const memory = { counts: emptyCounts(), inFlight: new InFlightCache() }
    const engine = engineOf(db)
    const owner = engine.beginLife()
    const lanes = openLanes({ db, counts: memory.counts, channels, full: options.destinationsFull ?? (() => {}) })
    return composeStore({ db, engine, ...memory, lanes, owner, channels, now }, options, turnClock)
  } catch (error) {
    db.close()
    throw toCodedError(error)
  }
}

/** Messages about a problem that are edited at each destination. */
const COPIES = 20

type Limits = Omit<StoreOptions, 'dataDir' | 'now'>

function composeStore(context: StoreContext, limits: Limits, { standing }: TurnClock) {
  const { maxIncidents, maxBacklog, oncall: policy, decide = openDefaultDecide(limits) } = limits
  const { groupOf, storms: stormRules = {}, fallbacks: fallbackRules = NO_FALLBACKS } = limits
  const { threadedChannels = [], elapsed = () => 0, heartbeats: heartbeatRules = NO_HEARTBEATS } = limits
  const { db } = context
  const statusTracker = openNotifyStatus(context)
  const ledger = openLedger(context)
  const leases = openLeases(context)
  const burn = openBurn(context, limits.slo)
  const notices = openNotices(context, {
    ...{ leases, burn },
    ...(limits.escalationPart && { exhausted: () => runs?.exhausted() ?? { runs: 0, reason: '' } }),
  })
  const accounts = openAccounts(context, leases, (...message) => runs?.personal.compose(...message))
  const followUps = openFollowUps(context, threadedChannels)
  const payloads = openPayloads(db)
  const decisions = openDecisions(db)
  const keys = openIdempotencyKeys(db)
  const fulltext = openFulltext(context, payloads)
  const { queueReindex, reindex } = fulltext
  const causes = openCauses(context, payloads)
  const problems = openProblems(context, {
    ...{ queueReindex, watch: causes, flapRules: limits.flapping ?? { enable: false } },
  })
  const tellings = openTellings(context, problems)
  const pages = openPages(context, {
    ...{ notices, problems, forgotten: limits.pageForgotten ?? (() => {}), runs: () => runs },
    markResolved: openMarkResolved(context, queueReindex),
  })
  const { escalations: rules, escalationPart } = limits
  const say = rules && escalationPart?.openSay(context, { rules, accounts })
  const runs =
    rules &&
    say &&
    escalationPart?.openRuns(context, rules, {
      ...{ problems, payloads, accounts, notices, pages, say },
      shiftAt: (name, at) => schedules?.calendar.shiftAt(name, at),
    })
  const { storms, bundles, endFlapping, windUp, fallbacks, outages } = openNoise(context, {
    ...{ stormRules, fallbackRules, maxBacklog, leases, ledger, notices, statusTracker, decisions },
    ...{ queueReindex, payloads, problems, tellings, repeatRules: limits.repeats ?? EACH, groupOf, pages },
  })
  const alerts = openAlerts(context, problems)
  const heartbeats = openHeartbeats(context, heartbeatRules, elapsed)
  const reclaim = openReclaim(context, {
    leases,
    notices,
    accounts,
    loseDigest: bundles.lose,
    losePages: openLosePages(context, pages),
  })
  const quarantine = openQuarantine(context)
  const appliedUpTo = openAppliedUpTo(context)
  const transactions = openTransactions(context, { payloads, bundles, problems, tellings, pages, causes, runs })
  const { write, writeWithoutFsync } = transactions
  const answering = limits.answering ?? []
  const copies = openCopies(context, {
    ...{ answering, copies: limits.copies ?? COPIES, tellings, bundles: bundles.rows, isStormy: bundles.isStormy },
    changedIn: bundles.changed,
  })
  const held = {
    decide,
    followUps,
    copies,
    statusTracker,
    pages,
    payloads,
    storms,
    outages,
    decisions,
    accounts,
    causes,
    problems,
    tellings,
    elapsed,
    write,
    recorded: (...command: Parameters<typeof commands.silenced>) => commands.silenced(...command),
  }
  const { silences, arrive, endHolds, holdDue, silencePort, pressed } = openNoiseSilences(context, held)
  const sayTo = say?.person ?? (() => {})
  const schedules = limits.schedules && limits.openSchedules?.(context, limits.schedules, { write, say: sayTo })
  write(() => {
    recover(context, { statusTracker, reclaim, bundles, windUp, outages, problems, tellings, pages })
    recoverPages(context, pages, { policy, runs })
    heartbeats.load()
    schedules?.start()
    if (limits.silences !== undefined) silences.start(limits.silences)
  })
  const applying = openApply(context, {
    ...{ decide, elapsed, decisions, storms, bundles, arrive, silences, problems, tellings, pages, heartbeats, alerts },
    ...{ payloads, keys, quarantine, appliedUpTo, copies, runs },
  })
  const claimPages = openClaimPages(context, { pages, problems, payloads, provider: policy?.provider })
  const settlePage = openSettlePage(context, pages, ledger)
  const withGroup = openPageGroup(context, { decide, groupOf, payloads })
  const outbox = openOutbox(context, {
    ...{ leases, ledger, payloads, decisions, notices, accounts, storms, bundles, tellings, windUp, fallbacks },
    ...{ outages, burn, reclaim, statusTracker, holdDue, settlePage, runs },
    edits: openEdits(context, { ...bundles, leases, payloads, decisions, tellings }),
    claimPages: (slots) => claimPages(slots).map(withGroup),
  })
  const markResolved = openMarkResolved(context, reindex)
  const incidents = openAcknowledge(context, { pages, followUps, markResolved, endHolds, problems })
  const actions = openProblemActions(context, { problems, pages, followUps, incidents, endHolds })
  const {
    port: answers,
    withAnswers,
    acknowledgeMore,
    ...commands
  } = openAnswers(context, {
    ...{ write, problems, incidents, actions, bundles, answering, copies, pressed },
  })
  const oncall = openOncall(context, pages)
  const health = openHealth(context, openQueues(context).backlogOf)
  const prune = openPrune(context, {
    ...{ fulltext, problems, tellings, decisions, pages, runs, maxIncidents, hasSchedules: schedules !== undefined },
  })
  const { isPaused, ...pauses } = openPauses(context)
  const cursors = openLogCursors(db)
  return {
    turn: openTurn(context, {
      ...{
        transactions,
        standing,
        outbox,
        oncall,
        storms,
        bundles,
        endFlapping,
        outages,
        silences,
        schedules,
        causes,
        problems,
        burn,
        notices,
        prune,
        copies,
        withAnswers,
        acknowledgeMore,
        runs,
      },
      apply: applying.apply,
    }),
    journal: openJournalPort(context, {
      transactions,
      applyAgain: applying.applyAgain,
      quarantine,
      keys,
      queueReindex,
      pagingOff: policy === undefined,
      listensToAll: heartbeatRules.listens,
      maxIncidents,
    }),
    outbox: {
      nextDueAt: outbox.nextDueAt,
      ...inTransactions(write, { makeDueNow: outbox.makeDueNow, wayBack: notices.wayBack }),
    },
    oncall: { facts: oncall.facts },
    channels: { ...inTransactions(write, pauses), isPaused, health } satisfies ChannelPort,
    incidents: openIncidentPort(context, payloads),
    noise: openNoisePort(context, { storms, bundles, pages, keys, payloads }),
    silences: silencePort,
    /** Undefined: no schedule is configured. */
    schedules: schedules?.port,
    operator: inTransactions(write, {
      ...openReplay(context, statusTracker, { reindex, storms, maxBacklog }),
      ...commands.operator,
    }) satisfies OperatorPort,
    report: openReport(context),
    answers,
    oncallRuns: runs && escalationPart?.openRunRecords(context, { ...runs, problems }),
    oncallPages:
      runs && escalationPart?.openPresses(context, { write, runs, problems, acknowledge: commands.acknowledgeAs }),
    alerts: { page: alerts.page },
    heartbeats: heartbeats.port(write),
    problems: openProblemPort(context, { write, problems, actions: commands.actions }),
    cursors: { ...cursors, ...inTransactions(write, { save: cursors.save }) },
    maintenance: {
      ...inTransactions(write, { prune }),
      ...inTransactions(writeWithoutFsync, { index: fulltext.index }),
      checkpoint: transactions.checkpoint,
    } satisfies MaintenancePort,
    status: openStatus(context, { write, health, oncall, answering }),
    /** Safe to call twice. */
    close() {
      if (db.isOpen) db.close()
    },
  }
}
