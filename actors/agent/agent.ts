import type { DetectLog } from '../../src/analysis/detect-log.ts'
import { CodedError } from '../../src/domain/errors.ts'
import type { Feed } from '../../src/domain/event.ts'
import type { Actor } from '../../src/kernel/cell.ts'
import type { Clock, Timer } from '../../src/kernel/clock.ts'
import type { Ref } from '../../src/kernel/ref.ts'
import type { Finding, Mode, Watch } from '../../src/mining/contract.ts'
import { Recent } from '../../src/mining/detect/recent.ts'
import type { ShadowLog } from '../../src/mining/detect/shadow.ts'
import type { Pulls } from '../../src/mining/input/source-poller.ts'
import type { CatalogFile, Cursors } from '../../src/mining/patterns/catalog-file.ts'
import type { Raised, Recall, Remember } from '../messages/agent.ts'
import type { AgentMail } from '../messages/mailboxes.ts'

export interface AgentTools {
  readonly mode: Mode
  readonly tickMs: number
  readonly persistMs: number
  readonly watch: Watch
  readonly catalog: Pick<CatalogFile, 'save'>
  readonly shadow: ShadowLog
  readonly detect: Pick<DetectLog, 'flush'>
  readonly raiser: Raiser
  /** Where the catalog says that reading goes on. */
  readonly cursors: Cursors
  /** Sources of which the catalog says nothing: the store is asked before they are read. */
  readonly unplaced: readonly string[]
  /** The cursors actor. */
  readonly remembered: Ref<Remember | Recall>
  readonly clock: Clock
  readonly feed: Feed
  openPulls(cursors: Cursors): Pulls
  /** Every incident that would be raised, in shadow mode. */
  noted(finding: Finding): void
  /** The disk refuses, and what was learned since stays in memory; or it takes writes again. */
  disk(refused: CodedError | undefined): void
}

/** Has what was found explained, and offers it to ingest until it is taken. */
export interface Raiser {
  /** Kept from now on; nothing is offered before `go`. */
  add(finding: Finding, atMs: number): void
  go(): void
  answered(mail: Raised): void
  /** What has not been taken yet, as the catalog stores it. */
  pending(): readonly unknown[]
  close(): void
}

export interface AgentActor extends Actor<AgentMail> {
  /** Undefined until it is known where to go on. */
  pulls(): Pulls | undefined
  /** Writes everything now. Throws a CodedError of the disk. */
  persist(): void
  /** Something was changed by an operator. */
  touch(): void
  readonly ticks: { readonly count: number; readonly lastAt: number | undefined }
  readonly recent: Pick<Recent, 'of'>
}

/** What a tick waits for sources that need longer: they go on, and count with the next one. */
const MAX_WAIT_MS = 5_000

/** The only writer of the catalog and of what lies beside it. It pulls: whoever writes logs faster than it reads makes it lag. */
export function agentActor(tools: AgentTools): AgentActor {
  const { watch, clock, remembered, tickMs } = tools
  const ticks: { count: number; lastAt: number | undefined } = { count: 0, lastAt: undefined }
  const recent = new Recent()
  let state: 'waiting' | 'running' | 'closed' = 'waiting'
  let pulls: Pulls | undefined
  let next: Timer | undefined
  let saving: Timer | undefined
  let dirty = false
  let savedLines = watch.counts().lines
  let disk: 'good' | 'refusing' = 'good'

  function receive(batch: readonly AgentMail[]): void {
    for (const mail of batch) take(mail)
  }

  function take(mail: AgentMail): void {
    switch (mail.kind) {
      case 'raised':
        dirty = true
        return tools.raiser.answered(mail)
      case 'recalled':
        return begin(mail.cursors as Cursors)
      case 'peer':
        if (mail.up && state === 'waiting') remembered.tell({ kind: 'recall' })
        return
      default:
        return mail satisfies never
    }
  }

  /** The catalog's word counts: its cursors are of the moment of its counts. */
  function begin(known: Cursors): void {
    if (state !== 'waiting') return
    state = 'running'
    pulls = tools.openPulls({ ...known, ...tools.cursors })
    tools.raiser.go()
    saveLater()
    void tick(clock.elapsed())
  }

  async function tick(dueAt: number): Promise<void> {
    await pulls?.round(Math.min(MAX_WAIT_MS, tickMs / 2))
    if (state !== 'running') return
    report(watch.closeTick(clock.now(), tools.mode, pulls?.uneven(tickMs)))
    recent.note(watch.patterns())
    ticks.count++
    ticks.lastAt = clock.now()
    if (ticks.count === 1) publish('mode', `the agent is in ${tools.mode} mode`)
    const after = Math.max(dueAt + tickMs, clock.elapsed())
    next = clock.setTimer(after - clock.elapsed(), () => void tick(after))
  }

  function report(findings: readonly Finding[]): void {
    if (findings.length > 0) dirty = true
    const opened = findings.filter(({ phase }) => phase === 'opened' || phase === 'renotified')
    for (const finding of findings) tell(finding)
    if (tools.mode === 'shadow') {
      for (const finding of findings) tools.shadow.note(finding, clock.now())
      for (const finding of opened) tools.noted(finding)
    }
    if (tools.mode !== 'detect' || opened.length === 0) return
    for (const finding of opened) tools.raiser.add(finding, clock.now())
    // On disk before anybody hears of it: after a crash it is raised once more under its key, and not found anew under another.
    save()
    tools.raiser.go()
  }

  function tell({ phase, kind, pattern, count }: Finding): void {
    if (phase === 'lasting') return
    publish(
      phase === 'closed' ? 'closed' : kind,
      `${pattern.service}: ${pattern.template} (${count} lines)`,
      pattern.id,
    )
  }

  function publish(action: string, detail: string, pattern_id: string | null = null): void {
    if (!tools.feed.open) return
    const at = new Date(clock.now()).toISOString()
    tools.feed.publish({ kind: 'agent', at, action, detail, pattern_id, incident_id: null })
  }

  function saveLater(): void {
    saving = clock.setTimer(tools.persistMs, () => {
      if (dirty || watch.counts().lines !== savedLines) save()
      saveLater()
    })
  }

  /** A disk that refuses costs nothing but the wait: counts and cursors are of one moment, whenever that is written. */
  function save(): void {
    try {
      persist()
      if (disk === 'refusing') tools.disk(undefined)
      disk = 'good'
    } catch (error) {
      if (!(error instanceof CodedError)) throw error
      if (disk === 'good') tools.disk(error)
      disk = 'refusing'
    }
  }

  function persist(): void {
    const now = clock.now()
    const cursors = { ...tools.cursors, ...pulls?.cursors() }
    const lines = watch.counts().lines
    tools.catalog.save({ snapshot: watch.snapshot(), cursors, raising: tools.raiser.pending() }, now)
    tools.shadow.flush(now)
    tools.detect.flush()
    savedLines = lines
    dirty = false
    remembered.tell({ kind: 'remember', cursors })
  }

  async function close(): Promise<void> {
    state = 'closed'
    next?.cancel()
    saving?.cancel()
    tools.raiser.close()
    await pulls?.close()
  }

  if (tools.unplaced.length === 0) queueMicrotask(() => begin({}))
  else remembered.whenRoom(() => remembered.tell({ kind: 'recall' }))
  return {
    receive,
    pulls: () => pulls,
    persist,
    touch: () => {
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
