import { randomUUID } from 'node:crypto'
import { Analyst } from '../../src/analysis/analyst.ts'
import type { AnalysisBackend } from '../../src/analysis/contract.ts'
import { DetectLog } from '../../src/analysis/detect-log.ts'
import { openJsonFile } from '../../src/files/json-file.ts'
import { systemClock } from '../../src/kernel/clock.ts'
import type { Ref } from '../../src/kernel/ref.ts'
import { createWatch } from '../../src/mining/detect/anomaly-detector.ts'
import { ShadowLog } from '../../src/mining/detect/shadow.ts'
import { createFunnel } from '../../src/mining/input/funnel.ts'
import { Mill } from '../../src/mining/input/line-pipeline.ts'
import type { NamedSource } from '../../src/mining/input/reader.ts'
import { Pulls } from '../../src/mining/input/source-poller.ts'
import { CatalogFile, type Cursors } from '../../src/mining/patterns/catalog-file.ts'
import type { RawEvent } from '../../src/mining/sources/contract.ts'
import { SOURCES } from '../../src/mining/sources/index.ts'
import type { PushSource } from '../../src/mining/sources/push.ts'
import { createQuery } from '../../src/mining/sources/query.ts'
import type { Log } from '../../src/telemetry/log.ts'
import type { Raise, Recall, Remember } from '../messages/agent.ts'
import type { AgentBoot, ThreadTools } from '../wiring/settings.ts'
import { agentActor } from './agent.ts'
import { createRaiser } from './incident-outbox.ts'
import type { AgentParts } from './queries.ts'

/** Beyond it an incident goes out without the model's word. */
const CALL_DEADLINE_MS = 25_000

/** What outlives the actor. */
export interface Surroundings extends ThreadTools {
  readonly boot: AgentBoot
  readonly backend: AnalysisBackend | undefined
  readonly ingest: Ref<Raise>
  readonly remembered: Ref<Remember | Recall>
}

/** One life of the actor: everything goes on from the files of the one before. */
export function buildAgent({ boot, backend, ingest, remembered, log, feed }: Surroundings): AgentParts {
  const { agent } = boot
  const { mode, ai, pollIntervalMs: tickMs } = agent
  const clock = systemClock
  const now = () => clock.now()
  const files = filesIn(boot.dataDir, log)
  const catalog = new CatalogFile(files('patterns.json'))
  const { stored, cursors, raising } = catalog.load()
  const watch = createWatch(agent, stored)
  if (watch.skipped > 0) log.warn({ entries: watch.skipped }, 'patterns.json holds entries that cannot be used')
  const shadow = new ShadowLog(files('shadow.json'))
  const detect = new DetectLog({
    ...{ file: files('detect.json'), maxCallsPerHour: ai.maxCallsPerHour, now },
    unsaved: (error) => log.error({ error: says(error) }, 'the detect log cannot be written'),
  })
  const analyst = new Analyst({
    ...{ log: detect, cacheTtlMs: ai.cacheTtlMs, deadlineMs: CALL_DEADLINE_MS, now, newId: randomUUID },
    ...(backend && { backend }),
  })
  // What was found in detect mode is not raised in another.
  const open = mode === 'detect' ? raising : []
  const raiser = createRaiser({
    ...{ analyst, ingest, clock, tickMs, feed, log, stored: open },
    newKey: randomUUID,
    random: Math.random,
  })
  const mill = new Mill({
    ...{ funnel: createFunnel(agent), watch, now },
    failed: (error) => log.error({ error: says(error) }, 'a line could not be learned'),
  })
  const { sources, pushed, close } = openSources(agent.sources, now)
  const actor = agentActor({
    ...{ mode, watch, catalog, shadow, detect, raiser, cursors, remembered, clock, feed },
    ...{ tickMs },
    persistMs: agent.catalog.persistIntervalMs,
    unplaced: sources.filter(({ name, type }) => type !== 'http' && !cursors[name]).map(({ name }) => name),
    openPulls: (known: Cursors) => new Pulls(sources, { ...pullTools(mill, log), cursors: known, now, closed: close }),
    noted: ({ kind, pattern }) => {
      const fields = { verdict: kind, pattern: pattern.id, service: pattern.service, template: pattern.template }
      log.info(fields, 'shadow: an incident would have been raised')
    },
    disk(refused) {
      if (refused)
        log.error({ error: refused.message }, 'what the agent learns cannot be written; it is kept in memory')
      else log.warn({}, 'what the agent learns is written again')
    },
  })
  return { mode, actor, watch, shadow, detect, analyst, ai, pushed, mill, raiser, clock }
}

function pullTools(mill: Mill, log: Log) {
  return {
    take: (source: string, events: readonly RawEvent[]) => mill.take(source, events),
    says(source: string, what: 'failed' | 'recovered' | 'note', text: string) {
      if (what === 'recovered') log.warn({ source }, 'a log source can be read again')
      else
        log.warn(
          { source, reason: text },
          what === 'failed' ? 'a log source cannot be read; it is tried again' : 'a log source',
        )
    },
  }
}

/** Sources over one HTTP client. */
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
    sources.flatMap(({ name, type, source }) => (type === 'http' ? [[name, source as PushSource] as const] : [])),
  )
  return { sources, pushed, close }
}

function filesIn(dir: string, log: Log) {
  const setAside = (name: string, as: string) =>
    log.error({ file: name, as }, 'a file of the agent is not whole JSON; it was set aside')
  return (name: string) => openJsonFile({ dir, name, now: () => systemClock.now(), setAside })
}

const says = (error: unknown) => (error instanceof Error ? (error.stack ?? error.message) : String(error))
