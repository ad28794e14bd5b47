import { randomUUID } from 'node:crypto'
import { Analyst } from '../../src/analysis/analyst.ts'
import type { AnalysisBackend } from '../../src/analysis/contract.ts'
import { DetectLog } from '../../src/analysis/detect-log.ts'
import type { Ref } from '../../src/kernel/ref.ts'
import { AnomalyDetector } from '../../src/mining/detect/anomaly-detector.ts'
import { ShadowLog } from '../../src/mining/detect/shadow-log.ts'
import { createPrepareLine, LinePipeline } from '../../src/mining/input/line-pipeline.ts'
import { type NamedSource, SourcePoller } from '../../src/mining/input/source-poller.ts'
import { CatalogFile, type Cursors } from '../../src/mining/patterns/catalog-file.ts'
import type { RawEvent } from '../../src/mining/sources/contract.ts'
import { SOURCES } from '../../src/mining/sources/index.ts'
import type { PushSource } from '../../src/mining/sources/push.ts'
import { createQuery } from '../../src/mining/sources/query.ts'
import type { Log } from '../../src/telemetry/log.ts'
import { errorStack } from '../../src/text/error-text.ts'
import type { LoadCursors, Raise, SaveCursors } from '../messages/agent.ts'
import type { AgentBoot } from '../wiring/boot.ts'
import type { ThreadDeps } from '../wiring/settings.ts'
import { agentActor } from './agent.ts'
import type { OpenFile } from './files.ts'
import { createIncidentOutbox } from './incident-outbox.ts'

/** Deadline of a call of the model; then the incident goes out with a text made by rules. */
const CALL_DEADLINE_MS = 25_000

/** Outlives restarts of the actor. */
interface AgentBuildDeps extends ThreadDeps {
  readonly boot: AgentBoot
  readonly backend: AnalysisBackend | undefined
  readonly ingest: Ref<Raise>
  readonly cursorStore: Ref<SaveCursors | LoadCursors>
  readonly files: OpenFile
}

/** The agent of one incarnation of the actor; questions are answered from it. */
export type AgentParts = ReturnType<typeof buildAgent>

/** Builds one incarnation of the agent from the files that the one before wrote. */
export function buildAgent({ boot, backend, ingest, cursorStore, files, clock, log, publisher }: AgentBuildDeps) {
  const { agent } = boot
  const { mode, ai, pollIntervalMs: tickMs } = agent
  const now = () => clock.now()
  const catalog = new CatalogFile(files('patterns.json'))
  const { stored, cursors, raising } = catalog.load()
  const detector = new AnomalyDetector(agent, stored)
  if (detector.skipped > 0)
    log.warn({ entries: detector.skipped }, 'patterns.json holds entries that cannot be read; they were skipped')
  const shadow = new ShadowLog(files('shadow.json'))
  const detect = new DetectLog({
    file: files('detect.json'),
    maxCallsPerHour: ai.maxCallsPerHour,
    now,
    saveFailed: (error) => log.error({ error: errorStack(error) }, 'detect.json cannot be written: check the disk'),
  })
  const analyst = new Analyst({
    log: detect,
    cacheTtlMs: ai.cacheTtlMs,
    deadlineMs: CALL_DEADLINE_MS,
    now,
    newId: randomUUID,
    ...(backend && { backend }),
  })
  // Findings of detect mode are not raised in another mode.
  const open = mode === 'detect' ? raising : []
  const incidentOutbox = createIncidentOutbox({
    analyst,
    ingest,
    clock,
    tickMs,
    publisher,
    log,
    stored: open,
    newKey: randomUUID,
    random: Math.random,
  })
  const pipeline = new LinePipeline({
    prepareLine: createPrepareLine(agent),
    detector,
    now,
    failed: (error) => log.error({ error: errorStack(error) }, 'a line could not be learned'),
  })
  const { sources, pushed, close } = openSources(agent.sources, now)
  const actor = agentActor({
    mode,
    detector,
    catalog,
    shadow,
    detect,
    incidentOutbox,
    cursors,
    cursorStore,
    clock,
    publisher,
    tickMs,
    persistMs: agent.catalog.persistIntervalMs,
    withoutCursor: sources.filter(({ name, type }) => type !== 'http' && !cursors[name]).map(({ name }) => name),
    openPoller: (known: Cursors) =>
      new SourcePoller(sources, { ...pollerDeps(pipeline, log), cursors: known, now, closed: close }),
    wouldRaise: ({ kind, pattern }) => {
      const fields = { verdict: kind, pattern: pattern.id, service: pattern.service, template: pattern.template }
      log.info(fields, 'shadow: an incident would have been raised')
    },
    diskChanged(refused) {
      if (refused)
        log.error(
          { error: refused.message },
          'the files of the agent cannot be written: check the disk; what it learns is kept in memory',
        )
      else log.warn({}, 'the files of the agent are written again')
    },
  })
  return { mode, actor, detector, shadow, detect, analyst, ai, pushed, pipeline, incidentOutbox, clock }
}

function pollerDeps(pipeline: LinePipeline, log: Log) {
  return {
    process: (source: string, events: readonly RawEvent[]) => pipeline.process(source, events),
    report(source: string, what: 'failed' | 'recovered' | 'note', text: string) {
      if (what === 'recovered') log.warn({ source }, 'a log source can be read again')
      else
        log.warn(
          { source, reason: text },
          what === 'failed'
            ? 'a log source cannot be read; it is tried again'
            : 'some lines of a log source were skipped',
        )
    },
  }
}

/** Opens the enabled sources, over one HTTP client. `close` closes the client. */
function openSources(entries: AgentBoot['agent']['sources'], now: () => number) {
  const { query, close } = createQuery()
  const enabled = entries.filter(({ enable }) => enable)
  const sources = enabled.map(
    (entry): NamedSource => ({
      name: entry.name,
      type: entry.type,
      source: SOURCES[entry.type](entry, { now, query }),
    }),
  )
  const pushed = new Map(
    sources.flatMap(({ name, type, source }) =>
      type === 'http' || type === 'otlp' ? [[name, source as PushSource] as const] : [],
    ),
  )
  return { sources, pushed, close }
}
