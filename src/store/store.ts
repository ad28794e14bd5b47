import type { DatabaseSync } from 'node:sqlite'
import { CodedError } from '../domain/errors.ts'
import type { Store, StoreOptions } from './contract.ts'
import { openLedger } from './deliveries/attempt-log.ts'
import { openHealth } from './deliveries/channel-health.ts'
import { openSettle, openTake } from './deliveries/deliveries.ts'
import { openLanes } from './deliveries/due.ts'
import { UnderWay } from './deliveries/in-flight-cache.ts'
import { openDeliveryList } from './deliveries/list.ts'
import { openPauses } from './deliveries/pauses.ts'
import { openReplay } from './deliveries/replay.ts'
import type { Tools } from './engine/context.ts'
import { emptyTally, unfinished } from './engine/counts.ts'
import { checkpoint, openDatabase, unhurried } from './engine/database.ts'
import { coded } from './engine/errors.ts'
import { openPlace } from './engine/file-identity.ts'
import { openHasten, openReclaim, recover } from './engine/recovery.ts'
import { command } from './engine/statement.ts'
import { openRetry, openWrite } from './engine/transaction.ts'
import { openMarks } from './incidents/acknowledge.ts'
import { openConclusions } from './incidents/notify-status.ts'
import { openState } from './incidents/overview.ts'
import { openIncidentDetail, openIncidentRecord } from './incidents/read.ts'
import { openPrune } from './incidents/retention.ts'
import { openAdmission } from './journal/append.ts'
import { openFiling } from './journal/apply.ts'
import { packSubmissions } from './journal/codec.ts'
import { openUnfiled } from './journal/journal.ts'
import { openContents } from './journal/payloads.ts'
import { openQuarantine } from './journal/quarantine.ts'
import { openCursors } from './log-cursors.ts'
import { isFollowUp, openFollowUps, recoverFollowUps } from './notices/follow-ups.ts'
import { openNotices } from './notices/notices.ts'
import { openEscalations } from './oncall/escalations.ts'
import { recoverOncall } from './oncall/recovery.ts'
import { openOncall } from './oncall/store.ts'
import { openFulltext } from './search/fulltext.ts'
import { openIncidentList } from './search/incidents.ts'

/** A full disk often has room for one row yet; the check proves room for an ordinary request. */
const CHECK_BYTES = 65_536

const GONE = 'the database was moved or removed while it was open: put it back, and restart the service'

export type * from './contract.ts'

/** Opens or creates the database and recovers what was under way; what waits to be filed still does. A second opener and a newer database are refused with `storage_down`. */
export function openStore(options: StoreOptions, db: DatabaseSync = openDatabase(options.dataDir)): Store {
  const { channels, now } = options
  try {
    return storeOn({ db, tally: emptyTally(), underWay: new UnderWay(), channels, now }, options)
  } catch (error) {
    db.close()
    throw coded(error)
  }
}

type Limits = Pick<StoreOptions, 'maxIncidents' | 'maxBacklog' | 'oncall' | 'threading' | 'quarantined'>

function storeOn(tools: Tools, limits: Limits): Store {
  const { maxIncidents, maxBacklog, oncall: policy, threading = [], quarantined = () => {} } = limits
  const { db, tally, channels, now } = tools
  const lanes = openLanes(tools)
  const conclusions = openConclusions(tools)
  const record = openLedger(db)
  const notices = openNotices(tools, record)
  const followUps = openFollowUps(tools, threading, record)
  const settle = openSettle(tools, { conclusions, notices, record })
  const reclaim = openReclaim(tools, lanes, notices)
  const escalations = openEscalations(tools, policy, notices)
  const contents = openContents(db)
  const unfiled = openUnfiled(tools, contents)
  const quarantine = openQuarantine(tools)
  const fulltext = openFulltext(tools, contents)
  const place = openPlace(tools)
  const admit = openAdmission(tools, { maxBacklog, contents, unfiled, inPlace: place.isThere })
  const pagesNobody = policy === undefined
  const file = openFiling(tools, { escalations, unfiled, contents, pagesNobody, maxIncidents, maxBacklog })
  const check = command(
    db,
    `INSERT OR REPLACE INTO health (id, checked_at, ballast) VALUES (1, ?, zeroblob(${CHECK_BYTES}))`,
  )

  const write = openWrite(tools, { unfiled, contents, place, quarantine, quarantined })
  write(() => {
    recover(tools, conclusions, reclaim)
    recoverOncall(tools, escalations, policy)
    recoverFollowUps(tools)
    quarantine.offer()
  })
  const oncall = openOncall(tools, { escalations, contents, policy })
  const health = openHealth(tools, lanes.backlogOf)
  const counters = () => ({
    incidents: tally.incidents + tally.unfiled.incidents + tally.quarantined,
    unfiledIncidents: tally.unfiled.incidents,
    quarantinedIncidents: tally.quarantined,
    finishedIncidents: tally.finished,
    unfinishedDeliveries: unfinished(tally),
    unknownSettlements: tally.unknownSettlements,
    unindexed: Math.min(tally.incidents, tally.nextSeq - 1 - tally.indexedThrough),
  })

  return {
    write,
    admit,
    file,
    commit(submission, claim) {
      const [result] = packSubmissions([submission]).flatMap((packed) => admit(packed) ?? [])
      if (result !== undefined && result.kind !== 'created') return { result, handouts: [], oncall: [] }
      const { handouts, oncall } = file(Infinity, claim)
      return { result: { kind: 'created' }, handouts, oncall }
    },
    unfiled: () => tally.unfiled.incidents,
    retry: openRetry(quarantine, write),
    take: openTake(tools, lanes, contents),
    settle(settlement) {
      const ours = isFollowUp(settlement) ? followUps : settlement.incident < 0 ? notices : undefined
      const settled = ours === undefined ? settle(settlement) : undefined
      if (ours === undefined ? settled === undefined : !ours.settle(settlement)) tally.unknownSettlements++
      return settled
    },
    takeNotices(claim) {
      const { handouts, stuck } = notices.take(claim)
      return { handouts: [...handouts, ...followUps.take(claim)], stuck }
    },
    nextNoticeAt() {
      const at = Math.min(notices.nextAt() ?? Infinity, followUps.nextAt())
      return at === Infinity ? undefined : at
    },
    reclaim(lost) {
      for (const channel of lost) followUps.reclaim(channel)
      return reclaim(lost)
    },
    hasten: openHasten(tools, lanes),
    nextDueAt(channel) {
      const { dueAt } = tally.lanes[channel]
      return dueAt === Infinity ? undefined : dueAt
    },
    backlog: () => Object.fromEntries(channels.map((name) => [name, lanes.backlogOf(name)])),
    health,
    ...openPauses(tools),
    prune: openPrune(tools, { fulltext, contents, maxIncidents }),
    index: (maxRows) => unhurried(db, () => write(() => fulltext.index(maxRows))),
    incidents: openIncidentList(tools, contents),
    incident: openIncidentDetail(tools, contents),
    record: openIncidentRecord(tools),
    deliveries: openDeliveryList(tools),
    ...openReplay(tools, conclusions, { renew: fulltext.renew, maxBacklog }),
    ...openMarks(tools, escalations, followUps),
    oncall,
    ...openCursors(db),
    check() {
      write(() => {
        if (!place.isThere()) throw new CodedError('storage_down', GONE)
        check.run(now())
      })
    },
    checkpoint: () => checkpoint(db),
    counters,
    state: openState(tools, { counters, health, oncall }),
    close() {
      if (db.isOpen) db.close()
    },
  }
}
