import type { DatabaseSync } from 'node:sqlite'
import { CodedError } from '../domain/errors.ts'
import type { Store, StoreOptions } from './contract.ts'
import { openAttemptLog } from './deliveries/attempt-log.ts'
import { openHealth } from './deliveries/channel-health.ts'
import { openClaim, openSettle } from './deliveries/deliveries.ts'
import { openDueIndex } from './deliveries/due.ts'
import { InFlightCache } from './deliveries/in-flight-cache.ts'
import { openDeliveryList } from './deliveries/list.ts'
import { openPauses } from './deliveries/pauses.ts'
import { openReplay } from './deliveries/replay.ts'
import type { StoreContext } from './engine/context.ts'
import { emptyCounts, unfinishedDeliveries } from './engine/counts.ts'
import { checkpoint, openDatabase, withoutFsync } from './engine/database.ts'
import { toCodedError } from './engine/errors.ts'
import { openFileIdentity } from './engine/file-identity.ts'
import { openMakeDueNow, openReclaim, recover } from './engine/recovery.ts'
import { command } from './engine/statement.ts'
import { openRetryQuarantined, openWrite } from './engine/transaction.ts'
import { openAcknowledge } from './incidents/acknowledge.ts'
import { openNotifyStatus } from './incidents/notify-status.ts'
import { openOverview } from './incidents/overview.ts'
import { openIncidentDetail, openIncidentRecord } from './incidents/read.ts'
import { openPrune } from './incidents/retention.ts'
import { openAppend } from './journal/append.ts'
import { openApply } from './journal/apply.ts'
import { packSubmissions } from './journal/codec.ts'
import { openJournal } from './journal/journal.ts'
import { openPayloads } from './journal/payloads.ts'
import { openQuarantine } from './journal/quarantine.ts'
import { openLogCursors } from './log-cursors.ts'
import { isFollowUp, openFollowUps, recoverFollowUps } from './notices/follow-ups.ts'
import { openNotices } from './notices/notices.ts'
import { openEscalations } from './oncall/escalations.ts'
import { recoverOncall } from './oncall/recovery.ts'
import { openOncall } from './oncall/store.ts'
import { openFulltext } from './search/fulltext.ts'
import { openIncidentList } from './search/incidents.ts'

/** A full disk often has room for one row yet; the check proves room for an ordinary request. */
const CHECK_BYTES = 65_536

const FILE_MISSING = 'the database was moved or removed while it was open: put it back, and restart the service'

export type * from './contract.ts'

/** Opens or creates the database and recovers what was under way; what waits to be filed still does. A second opener and a newer database are refused with `storage_down`. */
export function openStore(options: StoreOptions, db: DatabaseSync = openDatabase(options.dataDir)): Store {
  const { channels, now } = options
  try {
    return composeStore({ db, counts: emptyCounts(), inFlight: new InFlightCache(), channels, now }, options)
  } catch (error) {
    db.close()
    throw toCodedError(error)
  }
}

type Limits = Pick<StoreOptions, 'maxIncidents' | 'maxBacklog' | 'oncall' | 'threadedChannels' | 'quarantined'>

function composeStore(context: StoreContext, limits: Limits): Store {
  const { maxIncidents, maxBacklog, oncall: policy, threadedChannels = [], quarantined = () => {} } = limits
  const { db, counts, channels, now } = context
  const dueIndex = openDueIndex(context)
  const statusTracker = openNotifyStatus(context)
  const record = openAttemptLog(db)
  const notices = openNotices(context, record)
  const followUps = openFollowUps(context, threadedChannels, record)
  const settle = openSettle(context, { statusTracker, notices, record })
  const reclaim = openReclaim(context, dueIndex, notices)
  const escalations = openEscalations(context, policy, notices)
  const payloads = openPayloads(db)
  const journal = openJournal(context, payloads)
  const quarantine = openQuarantine(context)
  const fulltext = openFulltext(context, payloads)
  const fileIdentity = openFileIdentity(context)
  const append = openAppend(context, { maxBacklog, payloads, journal, fileUnchanged: fileIdentity.unchanged })
  const pagingOff = policy === undefined
  const apply = openApply(context, { escalations, journal, payloads, pagingOff, maxIncidents, maxBacklog })
  const check = command(
    db,
    `INSERT OR REPLACE INTO health (id, checked_at, ballast) VALUES (1, ?, zeroblob(${CHECK_BYTES}))`,
  )

  const write = openWrite(context, { journal, payloads, fileIdentity, quarantine, quarantined })
  write(() => {
    recover(context, statusTracker, reclaim)
    recoverOncall(context, escalations, policy)
    recoverFollowUps(context)
    quarantine.loadCandidates()
  })
  const oncall = openOncall(context, { escalations, payloads, policy })
  const health = openHealth(context, dueIndex.backlogOf)
  const counters = () => ({
    incidents: counts.incidents + counts.journal.incidents + counts.quarantined,
    unappliedIncidents: counts.journal.incidents,
    quarantinedIncidents: counts.quarantined,
    finishedIncidents: counts.finished,
    unfinishedDeliveries: unfinishedDeliveries(counts),
    unknownSettlements: counts.unknownSettlements,
    unindexed: Math.min(counts.incidents, counts.nextSeq - 1 - counts.indexedThrough),
  })

  return {
    write,
    append,
    apply,
    commit(submission, reserve) {
      const [result] = packSubmissions([submission]).flatMap((packed) => append(packed) ?? [])
      if (result !== undefined && result.kind !== 'created') return { result, dispatches: [], oncall: [] }
      const { dispatches, oncall } = apply(Infinity, reserve)
      return { result: { kind: 'created' }, dispatches, oncall }
    },
    unapplied: () => counts.journal.incidents,
    retryQuarantined: openRetryQuarantined(quarantine, write),
    claim: openClaim(context, dueIndex, payloads),
    settle(settlement) {
      const ours = isFollowUp(settlement) ? followUps : settlement.incident < 0 ? notices : undefined
      const settled = ours === undefined ? settle(settlement) : undefined
      if (ours === undefined ? settled === undefined : !ours.settle(settlement)) counts.unknownSettlements++
      return settled
    },
    claimNotices(reserve) {
      const { dispatches, stuck } = notices.claim(reserve)
      return { dispatches: [...dispatches, ...followUps.claim(reserve)], stuck }
    },
    nextNoticeAt() {
      const at = Math.min(notices.nextAt() ?? Infinity, followUps.nextAt())
      return at === Infinity ? undefined : at
    },
    reclaim(lost) {
      for (const channel of lost) followUps.reclaim(channel)
      return reclaim(lost)
    },
    makeDueNow: openMakeDueNow(context, dueIndex),
    nextDueAt(channel) {
      const { dueAt } = counts.queues[channel]
      return dueAt === Infinity ? undefined : dueAt
    },
    backlog: () => Object.fromEntries(channels.map((name) => [name, dueIndex.backlogOf(name)])),
    health,
    ...openPauses(context),
    prune: openPrune(context, { fulltext, payloads, maxIncidents }),
    index: (maxRows) => withoutFsync(db, () => write(() => fulltext.index(maxRows))),
    incidents: openIncidentList(context, payloads),
    incident: openIncidentDetail(context, payloads),
    record: openIncidentRecord(context),
    deliveries: openDeliveryList(context),
    ...openReplay(context, statusTracker, { reindex: fulltext.reindex, maxBacklog }),
    ...openAcknowledge(context, escalations, followUps),
    oncall,
    ...openLogCursors(db),
    check() {
      write(() => {
        if (!fileIdentity.unchanged()) throw new CodedError('storage_down', FILE_MISSING)
        check.run(now())
      })
    },
    checkpoint: () => checkpoint(db),
    counters,
    state: openOverview(context, { counters, health, oncall }),
    close() {
      if (db.isOpen) db.close()
    },
  }
}
