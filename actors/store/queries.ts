import { setImmediate as afterMail } from 'node:timers/promises'
import { CodedError } from '../../src/domain/errors.ts'
import type { EventPublisher } from '../../src/domain/event.ts'
import { incidentNumberOf } from '../../src/domain/incident-id.ts'
import type { OncallChange } from '../../src/store/ports/oncall.ts'
import type { ProblemName } from '../../src/store/ports/problems.ts'
import type { StoreState } from '../../src/store/status.ts'
import type { Store } from '../../src/store/store.ts'
import type { LiveLog } from '../../src/telemetry/log.ts'
import { isoTime } from '../../src/text/iso-time.ts'
import { type Answers, answerFrom } from '../messages/query.ts'
import type { AcknowledgeResult, StorageQueries, StorageQuery } from '../messages/storage-queries.ts'
import { silenceAnswers } from './answers/silences.ts'
import type { PublishedProgress } from './apply-progress.ts'
import type { openBriefs } from './briefs.ts'
import { answerEvent, oncallEvents } from './tail-events.ts'

/** Dependencies of the answers. */
export interface QueryContext {
  readonly store: Store
  readonly published: PublishedProgress
  readonly log: LiveLog
  /** Epoch milliseconds. */
  readonly now: () => number
  readonly publisher: EventPublisher
  /** The most dispatches that one incident can become. */
  readonly dispatchesPerIncident: number
  mayDispatch(may: boolean): void
  /** Begins a turn of the storage actor, which claims what is due. */
  wakeStorage(): void
  readonly briefs: ReturnType<typeof openBriefs>
  /** Called when a query searches by words. */
  onSearch(): void
}

/**
 * Answers from what is applied. Commands wait until their incident is, reads a moment for what was accepted before them:
 * applying goes on meanwhile. Throws
 * `storage_full`, `storage_down`, `bad_parameter`, `ask_timeout`.
 */
export const answerQuery = (query: StorageQuery, context: QueryContext): unknown =>
  answerFrom(storageAnswers(context), query)

function storageAnswers(context: QueryContext): Answers<StorageQueries> {
  const { store, published } = context
  async function soon<T>(read: () => T): Promise<T> {
    await published.soon()
    return read()
  }
  const silences = silenceAnswers({ store, now: context.now, changed: (change) => changeAndWake(context, change) })
  return {
    check: () => store.status.check(),
    hold: () => context.mayDispatch(false),
    release() {
      context.mayDispatch(true)
      changeAndWake(context, () => store.outbox.makeDueNow())
    },
    log: (settings) => context.log.change(settings),
    state: () => ({
      ...withUnapplied(store.status.state(), published),
      ...store.noise.state(),
      heartbeats: store.heartbeats.states(),
      pings: store.heartbeats.pingCounts(),
      silences: store.silences.state(),
      ...(store.schedules && { schedules: store.schedules.state() }),
      ...(store.oncallRuns && { runs: store.oncallRuns.state() }),
      ...(store.brief && { openings: store.brief.stored() }),
    }),
    async incidents({ filter }) {
      if (filter.q !== undefined) {
        context.onSearch()
        // Node hands over up to a thousand messages before it looks at its timers, and those of turns and of indexing are due.
        await afterMail()
      }
      return soon(() => ({ ...store.incidents.list(filter), unapplied: published.unapplied() }))
    },
    incident: ({ id }) => soon(() => store.incidents.detail(id)),
    deliveries: ({ filter }) => soon(() => store.incidents.deliveries(filter)),
    channels: () => store.channels.health(),
    pause: ({ channel }) => store.channels.pause(channel),
    resume: ({ channel }) => changeAndWake(context, () => store.channels.resume(channel)),
    replay: ({ filter }) => changeAndWake(context, () => store.operator.replay(filter, expectedDispatches(context))),
    resend: ({ id }) => whenApplied(context, id, () => changeAndWake(context, () => store.operator.resend(id))),
    record: ({ id }) => store.incidents.record(id),
    digests: ({ filter }) => store.noise.digests(filter),
    digest: ({ number }) => store.noise.digest(number),
    places: ({ filter }) => store.noise.places(filter),
    destinations: () => store.noise.destinations(),
    routeHits: () => store.noise.routeHits(),
    tryRepeat: ({ trial }) => soon(() => store.noise.tryRepeat(trial)),
    decided: ({ id }) => whenApplied(context, id, () => store.noise.decided(id)),
    owedHeartbeats() {
      store.heartbeats.stayAlive()
      return store.heartbeats.owed(published.lagMs())
    },
    pings: ({ pings }) => store.heartbeats.ping(pings),
    pingOutput: ({ name }) => store.heartbeats.outputOf(name),
    heartbeats: () => store.heartbeats.states(),
    caughtUp: () => published.caughtUp(),
    applied: () => published.applied(),
    async alerts({ after }) {
      await published.caughtUp()
      return store.alerts.page(after)
    },
    reportPart: (query) => store.report.part(query),
    reportRevisions: ({ since }) => store.report.revisions(since),
    historyRange: ({ asked }) => store.noise.history.range(asked),
    historyPage: ({ numbers }) => store.noise.history.page(numbers),
    problems: ({ filter }) => soon(() => store.problems.list(filter)),
    problem({ id }) {
      const found = store.problems.detail(id)
      return found && store.oncallRuns ? { ...found, runs: store.oncallRuns.ofProblem(id) } : found
    },
    acknowledgeProblem: (query) => changeProblem(context, query, store.problems.acknowledge),
    resolveProblem: (query) => changeProblem(context, query, store.problems.resolve),
    async tokenAct(query) {
      const { tokenAct } = await import('./answers/token-act.ts')
      await published.caughtUp()
      return tokenAct({ store, changed: (change) => void changePages(context, change) }, query)
    },
    ...namedProblemAnswers(context),
    ...context.briefs,
    schedules: () => store.schedules?.now() ?? [],
    schedulesChangedAt: () => store.schedules?.changedAt() ?? 0,
    scheduleShifts: ({ name, ...span }) => store.schedules?.shifts(name, span) ?? [],
    overrides: () => store.schedules?.overrides() ?? [],
    addOverride({ override }) {
      const { schedules } = store
      if (schedules === undefined) throw new CodedError('not_found', 'no schedule is configured')
      return changeAndWake(context, () => schedules.addOverride(override))
    },
    endOverride: ({ id, by }) => changeAndWake(context, () => store.schedules?.endOverride(id, by)),
    historySilences: ({ from }) => store.noise.history.silences(from),
    ...silences.answers,
    async answer({ answer }) {
      if (answer.action.includes('silence')) await silences.started()
      const id = answer.subject.kind === 'incident' ? answer.subject.id : ''
      return whenApplied(context, id, () => changeOncall(context, () => store.answers.answer(answer)).answered)
    },
    answers: ({ filter }) => store.answers.list(filter),
    wayBack: ({ channel, way }) => changeAndWake(context, () => store.outbox.wayBack(channel, way)),
    acknowledge: (query) => whenApplied(context, query.id, () => acknowledge(context, query)),
    resolve: ({ id, by }) =>
      whenApplied(context, id, () => changePages(context, () => store.operator.resolve(id, by)) !== undefined),
    ...oncallAnswers(context),
  }
}

/** Returns how many dispatches the incidents that are not applied may become, as the journal's quota counts them. */
const expectedDispatches = ({ published, dispatchesPerIncident }: QueryContext) =>
  published.unapplied() * Math.max(1, dispatchesPerIncident)

function withUnapplied(state: StoreState, { unapplied, lagMs }: PublishedProgress) {
  const waiting = unapplied()
  const incidents = state.incidents + waiting
  return { ...state, incidents, unappliedIncidents: waiting, applyLagMs: lagMs() }
}

async function whenApplied<T>(context: QueryContext, id: string, work: () => T): Promise<T> {
  const number = incidentNumberOf(id)
  if (number !== undefined) await context.published.reached(number)
  return work()
}

function acknowledge(
  context: QueryContext,
  { id, by, problem, link }: Parameters<StorageQueries['acknowledge']>[0],
): AcknowledgeResult {
  const { store } = context
  const { operator } = store
  const change = link ? operator.acknowledgeByLink : operator.acknowledge
  const result = changeAndWake(context, () => change(id, by, problem))
  if (result.kind === 'acknowledged') publishOncall(context, result.oncall)
  const known = problem === undefined ? undefined : store.problems.detail(problem)
  const incident =
    store.incidents.record(id) ?? (known && { ...known, status: known.state, created_at: known.opened_at })
  return result.kind === 'unknown' || incident === undefined ? { kind: 'unknown' } : { kind: result.kind, incident }
}

function changeOncall<T extends { readonly oncall: readonly OncallChange[] }>(
  context: QueryContext,
  change: () => T,
): T {
  const changed = changeAndWake(context, change)
  publishOncall(context, changed.oncall)
  return changed
}

function changePages(context: QueryContext, change: () => readonly OncallChange[] | undefined) {
  const changes = changeAndWake(context, change)
  publishOncall(context, changes ?? [])
  return changes
}

function namedProblemAnswers(context: QueryContext) {
  const { problems } = context.store
  const named = async (name: ProblemName) => {
    await context.published.caughtUp()
    return problems.named(name)
  }
  return {
    namedProblem: ({ name }) => named(name),
    async acknowledgeNamed({ name, by }) {
      const problem = await named(name)
      if (problem?.state === 'firing') changePages(context, () => problems.acknowledgeFiring(problem.id, by))
      return problem
    },
    async noteNamed({ name, by, text }) {
      const problem = await named(name)
      if (problem === undefined) return undefined
      return { problem, threads: changeAndWake(context, () => problems.note({ id: problem.id, by, text })) }
    },
  } satisfies Partial<Answers<StorageQueries>>
}

function changeProblem(
  context: QueryContext,
  { id, by }: { readonly id: number; readonly by: string },
  change: (id: number, by: string) => readonly OncallChange[] | undefined,
) {
  changePages(context, () => change(id, by))
  return context.store.problems.detail(id)
}

function publishOncall({ store, publisher, now }: QueryContext, changes: readonly OncallChange[]): void {
  if (!publisher.hasSubscribers) return
  for (const event of oncallEvents(changes, store.oncall, isoTime(now()))) publisher.publish(event)
}

/** Runs a person's change, and publishes its record; then begins a turn, which dispatches what became due. */
function changeAndWake<T>({ store: { answers }, publisher, published, wakeStorage }: QueryContext, change: () => T): T {
  const before = publisher.hasSubscribers ? answers.latest() : undefined
  try {
    const changed = change()
    if (before !== undefined) for (const record of answers.after(before)) publisher.publish(answerEvent(record))
    return changed
  } finally {
    published.publish()
    wakeStorage()
  }
}

/** Answers about messages to people. Without escalations none was sent. */
function oncallAnswers(context: QueryContext) {
  const { oncallPages: pages, oncallRuns: runs } = context.store
  return {
    'oncall.page': ({ message }) => pages?.view(message),
    'oncall.pressPage': ({ message, action }) =>
      pages === undefined ? { kind: 'unknown' } : changeOncall(context, () => pages.press(message, action)).pressed,
    'oncall.runs': () => runs?.list() ?? { runs: [], open: 0 },
    'oncall.escalate': ({ id, by }) =>
      pages !== undefined && changeOncall(context, () => ({ oncall: [], isDone: pages.escalate(id, by) })).isDone,
    'oncall.reported': ({ report }) =>
      pages !== undefined && changeOncall(context, () => pages.reported(report) ?? UNKNOWN) !== UNKNOWN,
  } satisfies Partial<Answers<StorageQueries>>
}

const UNKNOWN = { oncall: [] }
