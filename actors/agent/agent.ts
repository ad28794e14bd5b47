import type { DetectLog } from '../../src/analysis/detect-log.ts'
import type { CodedError } from '../../src/domain/errors.ts'
import type { EventPublisher } from '../../src/domain/event.ts'
import type { Clock, Timer } from '../../src/kernel/clock.ts'
import type { Ref } from '../../src/kernel/ref.ts'
import type { Finding, Mode } from '../../src/mining/contract.ts'
import type { AnomalyDetector } from '../../src/mining/detect/anomaly-detector.ts'
import { RecentCounts } from '../../src/mining/detect/recent-counts.ts'
import type { ShadowLog } from '../../src/mining/detect/shadow-log.ts'
import type { SourcePoller } from '../../src/mining/input/source-poller.ts'
import type { CatalogFile, Cursors } from '../../src/mining/patterns/catalog-file.ts'
import { isoTime } from '../../src/text/iso-time.ts'
import type { LoadCursors, SaveCursors } from '../messages/agent.ts'
import type { AgentMail } from '../messages/mailboxes.ts'
import { createDiskState } from '../wiring/disk-state.ts'
import type { IncidentOutbox } from './incident-outbox.ts'

interface AgentDeps {
  readonly mode: Mode
  readonly tickMs: number
  readonly persistMs: number
  readonly detector: AnomalyDetector
  readonly catalog: Pick<CatalogFile, 'save'>
  readonly shadow: ShadowLog
  readonly detect: Pick<DetectLog, 'flush'>
  readonly incidentOutbox: IncidentOutbox
  /** Positions in the catalog, by source; reading goes on there. */
  readonly cursors: Cursors
  /** Sources without a position in the catalog. The cursors actor is asked for theirs before any source is read. */
  readonly withoutCursor: readonly string[]
  /** The cursors actor. */
  readonly cursorStore: Ref<SaveCursors | LoadCursors>
  readonly clock: Clock
  readonly publisher: EventPublisher
  openPoller(cursors: Cursors): SourcePoller
  /** Called in shadow mode for each incident that detect mode would raise. */
  wouldRaise(finding: Finding): void
  /**
   * Called when a write fails for the first time in a row (the state stays in memory), and with undefined when one
   * succeeds again.
   */
  diskChanged(refused: CodedError | undefined): void
}

export type AgentActor = ReturnType<typeof agentActor>

/** Longest wait of a tick for slow sources. They go on reading, and their lines count in the next tick. */
const MAX_WAIT_MS = 5_000

/**
 * The log agent: polls the sources once a tick, has the detector judge the lines, and passes findings to the incident
 * outbox. The only writer of the catalog and the files beside it. It pulls, so when logs are written faster than it
 * reads, it lags.
 *
 * - waiting: a source has no position; the cursors actor was asked. Leaves to running with its answer.
 * - running: ticks. Leaves to closed.
 * - closed: reads no more.
 */
export function agentActor(deps: AgentDeps) {
  const { detector, clock, cursorStore, tickMs } = deps
  const ticks: { count: number; lastAt: number | undefined } = { count: 0, lastAt: undefined }
  const recent = new RecentCounts()
  let state: 'waiting' | 'running' | 'closed' = 'waiting'
  let poller: SourcePoller | undefined
  let next: Timer | undefined
  let saving: Timer | undefined
  let dirty = false
  let savedLines = detector.counts().lines
  const disk = createDiskState({ refused: deps.diskChanged, recovered: () => deps.diskChanged(undefined) })

  function receive(batch: readonly AgentMail[]): void {
    for (const mail of batch) handle(mail)
  }

  function handle(mail: AgentMail): void {
    switch (mail.kind) {
      case 'raised':
        dirty = true
        return deps.incidentOutbox.answered(mail)
      case 'cursors-loaded':
        return begin(mail.cursors as Cursors)
      case 'peer':
        if (mail.up && state === 'waiting') cursorStore.tell({ kind: 'load-cursors' })
        return
      default:
        return mail satisfies never
    }
  }

  /** The catalog's positions win: they are of the same moment as its counts. */
  function begin(known: Cursors): void {
    if (state !== 'waiting') return
    state = 'running'
    poller = deps.openPoller({ ...known, ...deps.cursors })
    deps.incidentOutbox.flush()
    saveLater()
    void tick(clock.elapsed())
  }

  async function tick(dueAt: number): Promise<void> {
    await poller?.pollAll(Math.min(MAX_WAIT_MS, tickMs / 2))
    if (state !== 'running') return
    report(detector.closeTick(clock.now(), deps.mode, poller?.incompleteTick(tickMs)))
    recent.record(detector.patterns())
    ticks.count++
    ticks.lastAt = clock.now()
    if (ticks.count === 1) publish('mode', `the agent is in ${deps.mode} mode`)
    const after = Math.max(dueAt + tickMs, clock.elapsed())
    next = clock.setTimer(after - clock.elapsed(), () => void tick(after))
  }

  function report(findings: readonly Finding[]): void {
    if (findings.length > 0) dirty = true
    const opened = findings.filter(({ phase }) => phase === 'opened' || phase === 'renotified')
    for (const finding of findings) publishFinding(finding)
    if (deps.mode === 'shadow') {
      for (const finding of findings) deps.shadow.record(finding, clock.now())
      for (const finding of opened) deps.wouldRaise(finding)
    }
    if (deps.mode !== 'detect' || opened.length === 0) return
    for (const finding of opened) deps.incidentOutbox.add(finding, clock.now())
    // On disk before it is offered: after a crash it is offered again under its key, instead of being found anew under
    // another.
    save()
    deps.incidentOutbox.flush()
  }

  function publishFinding({ phase, kind, pattern, count }: Finding): void {
    if (phase === 'lasting') return
    publish(
      phase === 'closed' ? 'closed' : kind,
      `${pattern.service}: ${pattern.template} (${count} lines)`,
      pattern.id,
    )
  }

  function publish(action: string, detail: string, pattern_id: string | null = null): void {
    if (!deps.publisher.hasSubscribers) return
    const at = isoTime(clock.now())
    deps.publisher.publish({ kind: 'agent', at, action, detail, pattern_id, incident_id: null })
  }

  function saveLater(): void {
    saving = clock.setTimer(deps.persistMs, () => {
      if (dirty || detector.counts().lines !== savedLines) save()
      saveLater()
    })
  }

  /** Keeps everything in memory when the disk refuses: counts and positions are written together, whenever that is. */
  function save(): void {
    disk.track(persist)
  }

  function persist(): void {
    const now = clock.now()
    const cursors = { ...deps.cursors, ...poller?.cursors() }
    const lines = detector.counts().lines
    deps.catalog.save({ snapshot: detector.snapshot(), cursors, raising: deps.incidentOutbox.pending() }, now)
    deps.shadow.flush(now)
    deps.detect.flush()
    savedLines = lines
    dirty = false
    cursorStore.tell({ kind: 'save-cursors', cursors })
  }

  async function close(): Promise<void> {
    state = 'closed'
    next?.cancel()
    saving?.cancel()
    deps.incidentOutbox.close()
    await poller?.close()
  }

  if (deps.withoutCursor.length === 0) queueMicrotask(() => begin({}))
  else cursorStore.whenRoom(() => cursorStore.tell({ kind: 'load-cursors' }))
  return {
    receive,
    /** Undefined until the positions of all sources are known. */
    poller: () => poller,
    /** Writes everything now. Throws storage_full, storage_down. */
    persist,
    /** Marks the state as changed, so that the next save writes it. */
    markDirty: () => {
      dirty = true
    },
    ticks,
    recent,
    async drain() {
      await close()
      save()
    },
    close,
  }
}
