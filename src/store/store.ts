import type { DatabaseSync } from 'node:sqlite'
import type { ChannelName } from '../domain/delivery.ts'
import type { OncallPolicy } from '../domain/oncall.ts'
import { openHealth } from './deliveries/channel-health.ts'
import { openDeliveryList } from './deliveries/list.ts'
import { openPauses } from './deliveries/pauses.ts'
import { openReplay } from './deliveries/replay.ts'
import type { StoreContext } from './engine/context.ts'
import { emptyCounts } from './engine/counts.ts'
import { checkpoint, openDatabase, withoutFsync } from './engine/database.ts'
import { toCodedError } from './engine/errors.ts'
import { openFileIdentity } from './engine/file-identity.ts'
import { nextOwner, recover } from './engine/recovery.ts'
import { openWrite } from './engine/transaction.ts'
import { openAcknowledge } from './incidents/acknowledge.ts'
import { openMarkResolved } from './incidents/mark-resolved.ts'
import { openNotifyStatus } from './incidents/notify-status.ts'
import { openIncidentDetail, openIncidentRecord } from './incidents/read.ts'
import { openPrune } from './incidents/retention.ts'
import { openAppend } from './journal/append.ts'
import { openApply } from './journal/apply.ts'
import { openJournal } from './journal/journal.ts'
import { openPayloads } from './journal/payloads.ts'
import { openQuarantine } from './journal/quarantine.ts'
import { openRetryQuarantined } from './journal/retry-quarantined.ts'
import { openLogCursors } from './log-cursors.ts'
import { openEscalations } from './oncall/escalations.ts'
import { openOncall } from './oncall/oncall.ts'
import { openClaimPages, openSettlePage } from './oncall/pages.ts'
import { openLosePages, recoverOncall } from './oncall/recovery.ts'
import { openFollowUps } from './outbox/follow-ups.ts'
import { InFlightCache } from './outbox/in-flight-cache.ts'
import { openLeases } from './outbox/lease.ts'
import { openLedger } from './outbox/ledger.ts'
import { openNotices } from './outbox/notices.ts'
import { openOutbox } from './outbox/outbox.ts'
import { openQueues } from './outbox/queues.ts'
import { openReclaim } from './outbox/reclaim.ts'
import type { ChannelPort } from './ports/channels.ts'
import type { CursorPort } from './ports/cursors.ts'
import type { IncidentPort } from './ports/incidents.ts'
import type { JournalPort, Quarantined } from './ports/journal.ts'
import type { MaintenancePort } from './ports/maintenance.ts'
import type { OncallPort } from './ports/oncall.ts'
import type { OperatorPort } from './ports/operator.ts'
import type { OutboxPort } from './ports/outbox.ts'
import type { StatusPort } from './ports/status.ts'
import type { Write } from './ports/transaction.ts'
import { openFulltext } from './search/fulltext.ts'
import { openIncidentList } from './search/incident-list.ts'
import { openStatus } from './status.ts'

export interface StoreOptions {
  /** Created with mode 0700 when absent. */
  readonly dataDir: string
  /** The enabled channels: every incident gets one delivery for each. */
  readonly channels: readonly ChannelName[]
  /** Finished incidents that retention keeps; unfinished ones are always kept. */
  readonly maxIncidents: number
  /** Quota: deliveries (pending and sending) and pages (armed or unsettled) above which submissions are refused. */
  readonly maxBacklog: number
  /** Absent: no incident pages. */
  readonly oncall?: OncallPolicy
  /** The enabled channels that can reply in a thread; absent: none. */
  readonly threadedChannels?: readonly ChannelName[]
  /** Epoch milliseconds. */
  readonly now: () => number
  /** Called after a commit that moved an entry to quarantine. */
  quarantined?(row: Quarantined): void
}

/**
 * Durable state of one writer: SQLite in one directory. All calls belong to one thread and are synchronous. Changes
 * belong inside `write`; each port says what it allows outside. After `storage_full` or `storage_down` the store is
 * usable as soon as the disk is.
 */
export interface Store {
  readonly write: Write
  readonly journal: JournalPort
  readonly outbox: OutboxPort
  readonly oncall: OncallPort
  readonly channels: ChannelPort
  readonly incidents: IncidentPort
  readonly operator: OperatorPort
  readonly cursors: CursorPort
  readonly maintenance: MaintenancePort
  readonly status: StatusPort
  /** Safe to call twice. */
  close(): void
}

/**
 * Opens or creates the database and ends the leases of the previous process; journal entries stay unapplied. Throws
 * `storage_full`, and `storage_down` also when another process has the database open or a newer version wrote it.
 */
export function openStore(options: StoreOptions, db: DatabaseSync = openDatabase(options.dataDir)): Store {
  const { channels, now } = options
  try {
    const memory = { counts: emptyCounts(), inFlight: new InFlightCache() }
    return composeStore({ db, ...memory, owner: nextOwner(db), channels, now }, options)
  } catch (error) {
    db.close()
    throw toCodedError(error)
  }
}

type Limits = Pick<StoreOptions, 'maxIncidents' | 'maxBacklog' | 'oncall' | 'threadedChannels' | 'quarantined'>

function composeStore(context: StoreContext, limits: Limits): Store {
  const { maxIncidents, maxBacklog, oncall: policy, threadedChannels = [], quarantined = () => {} } = limits
  const { db, counts } = context
  const statusTracker = openNotifyStatus(context)
  const ledger = openLedger(context)
  const leases = openLeases(context)
  const notices = openNotices(context, leases)
  const followUps = openFollowUps(context, threadedChannels)
  const payloads = openPayloads(db)
  const fulltext = openFulltext(context, payloads)
  const markResolved = openMarkResolved(context, fulltext.queueReindex)
  const escalations = openEscalations(context, policy, { notices, markResolved })
  const reclaim = openReclaim(context, { leases, notices, losePages: openLosePages(escalations) })
  const journal = openJournal(context, payloads)
  const quarantine = openQuarantine(context)
  const fileIdentity = openFileIdentity(context)
  const write = openWrite(context, { journal, payloads, fileIdentity, quarantine, quarantined })
  write(() => {
    recover(context, statusTracker, reclaim)
    recoverOncall(context, escalations, policy)
    quarantine.loadCandidates()
  })
  const oncall = openOncall(context, escalations)
  const claimPages = openClaimPages(context, {
    advance: escalations.advance,
    payloads,
    provider: policy?.provider ?? '',
  })
  const settlePage = openSettlePage(escalations, ledger)
  const health = openHealth(context, openQueues(context).backlogOf)
  const pagingOff = policy === undefined
  return {
    write,
    journal: {
      append: openAppend(context, { maxBacklog, payloads, journal, fileUnchanged: fileIdentity.unchanged }),
      apply: openApply(context, { escalations, journal, payloads, pagingOff, maxIncidents, maxBacklog }),
      unapplied: () => counts.journal.incidents,
    },
    outbox: openOutbox(context, { leases, ledger, payloads, notices, reclaim, statusTracker, claimPages, settlePage }),
    oncall,
    channels: { ...openPauses(context), health },
    incidents: {
      list: openIncidentList(context, payloads),
      detail: openIncidentDetail(context, payloads),
      record: openIncidentRecord(context),
      deliveries: openDeliveryList(context),
    },
    operator: {
      ...openReplay(context, statusTracker, { reindex: fulltext.reindex, maxBacklog }),
      ...openAcknowledge(context, {
        escalations,
        followUps,
        markResolved: openMarkResolved(context, fulltext.reindex),
      }),
    },
    cursors: openLogCursors(db),
    maintenance: {
      prune: openPrune(context, { fulltext, payloads, maxIncidents }),
      index: (maxRows) => withoutFsync(db, () => write(() => fulltext.index(maxRows))),
      checkpoint: () => checkpoint(db),
      retryQuarantined: openRetryQuarantined(quarantine, write),
    },
    status: openStatus(context, { write, fileIdentity, health, oncall }),
    close() {
      if (db.isOpen) db.close()
    },
  }
}
