import { CodedError } from '../../src/domain/errors.ts'
import type { EventPublisher } from '../../src/domain/event.ts'
import type { OncallChange } from '../../src/store/ports/oncall.ts'
import type { Store } from '../../src/store/store.ts'
import type { LiveLog } from '../../src/telemetry/log.ts'
import { type Answers, answerFrom } from '../messages/query.ts'
import type { AcknowledgeResult, StorageQueries, StorageQuery } from '../messages/storage-queries.ts'
import { incidentEvents, oncallEvents } from './tail-events.ts'

/** Dependencies of the answers. */
export interface QueryContext {
  readonly store: Store
  readonly log: LiveLog
  readonly publisher: EventPublisher
  mayDispatch(may: boolean): void
  /** Begins a turn of the storage actor, which claims what is due. */
  wakeStorage(): void
  /** Called when a query searches by words. */
  onSearch(): void
}

/**
 * Incidents that a list or search applies before it is answered; in a flood it misses newer ones. A query for one
 * incident applies all.
 */
const MAX_APPLIED_FOR_LISTS = 2_000

/**
 * Incidents applied in one transaction. Bounds how long a commit waits, and how much is undone with an entry that
 * cannot be applied.
 */
const APPLY_STEP = 512

const READS: readonly StorageQuery['kind'][] = ['incidents', 'incident', 'deliveries', 'record']

/**
 * Applies the journal as far as the query needs, then answers. When the disk refuses, reads are answered from what is
 * applied already. Throws `storage_full`, `storage_down`, `bad_parameter`.
 */
export function answerUpToDate(query: StorageQuery, context: QueryContext): unknown {
  const answers = storageAnswers(context)
  try {
    applyFor(query, context)
  } catch (error) {
    if (!(error instanceof CodedError && READS.includes(query.kind))) throw error
    const result = answerFrom(answers, query)
    // The incident may be in the journal, so its absence is no answer.
    if (result === undefined) throw error
    return result
  }
  return answerFrom(answers, query)
}

function applyFor(query: StorageQuery, context: QueryContext): void {
  if ('id' in query) applyJournal(context, Infinity)
  else if ('filter' in query) applyJournal(context, MAX_APPLIED_FOR_LISTS)
}

/**
 * Applies the oldest entries, at least `incidents` if there are as many. Dispatches nothing: deliveries become pending.
 * Entries that cannot be applied go to quarantine.
 */
function applyJournal(context: QueryContext, incidents: number): void {
  const { store, publisher } = context
  const left = Math.max(0, store.journal.unapplied() - incidents)
  while (store.journal.unapplied() > left) {
    const step = Math.min(APPLY_STEP, store.journal.unapplied() - left)
    const { drafts, oncall } = writeAndWake(context, () => store.journal.apply(step, () => false))
    if (publisher.hasSubscribers)
      for (const event of incidentEvents(drafts, new Date().toISOString())) publisher.publish(event)
    publishOncall(context, oncall)
  }
}

function storageAnswers(context: QueryContext): Answers<StorageQueries> {
  const { store } = context
  return {
    check: () => store.status.check(),
    hold: () => context.mayDispatch(false),
    release() {
      context.mayDispatch(true)
      writeAndWake(context, () => store.outbox.makeDueNow())
    },
    log: (settings) => context.log.change(settings),
    state: () => store.status.state(),
    incidents({ filter }) {
      if (filter.q !== undefined) context.onSearch()
      return store.incidents.list(filter)
    },
    incident: ({ id }) => store.incidents.detail(id),
    deliveries: ({ filter }) => store.incidents.deliveries(filter),
    channels: () => store.channels.health(),
    pause: ({ channel }) => store.write(() => store.channels.pause(channel)),
    resume: ({ channel }) => writeAndWake(context, () => store.channels.resume(channel)),
    replay: ({ filter }) => writeAndWake(context, () => store.operator.replay(filter)),
    resend: ({ id }) => writeAndWake(context, () => store.operator.resend(id)),
    record: ({ id }) => store.incidents.record(id),
    acknowledge: (query) => acknowledge(context, query),
    resolve: (query) => resolve(context, query),
  }
}

interface ByPerson {
  readonly id: string
  readonly by: string
}

function acknowledge(context: QueryContext, { id, by }: ByPerson): AcknowledgeResult {
  const result = writeAndWake(context, () => context.store.operator.acknowledge(id, by))
  if (result.kind === 'acknowledged') publishOncall(context, result.oncall)
  const incident = context.store.incidents.record(id)
  return result.kind === 'unknown' || incident === undefined ? { kind: 'unknown' } : { kind: result.kind, incident }
}

function resolve(context: QueryContext, { id, by }: ByPerson): boolean {
  const changes = writeAndWake(context, () => context.store.operator.resolve(id, by))
  publishOncall(context, changes ?? [])
  return changes !== undefined
}

function publishOncall({ store, publisher }: QueryContext, changes: readonly OncallChange[]): void {
  if (!publisher.hasSubscribers) return
  for (const event of oncallEvents(changes, store.oncall, new Date().toISOString())) publisher.publish(event)
}

/** Runs an operator's change in a transaction of its own, then begins a turn, which dispatches what became due. */
function writeAndWake<T>({ store, wakeStorage }: QueryContext, work: () => T): T {
  try {
    return store.write(work)
  } finally {
    wakeStorage()
  }
}
