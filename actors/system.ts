import { targetsOf } from '../src/channels/index.ts'
import { openSite } from '../src/dashboard/site.ts'
import type { ErrorCode } from '../src/domain/errors.ts'
import type { Front, FrontSettings } from '../src/http/front.ts'
import { openapiRoute } from '../src/http/openapi/document.ts'
import { createFront } from '../src/http/server.ts'
import { recognise } from '../src/intake/recognise.ts'
import { systemClock } from '../src/kernel/clock.ts'
import { compact } from '../src/kernel/compact.ts'
import { Lifecycle } from '../src/kernel/lifecycle.ts'
import { Link } from '../src/kernel/link.ts'
import { Pulse } from '../src/kernel/pulse.ts'
import { Supervisor, type ThreadPlan } from '../src/kernel/supervisor.ts'
import { Turns } from '../src/kernel/turns.ts'
import { existingKey } from '../src/oncall/key.ts'
import { Figures } from '../src/telemetry/figures.ts'
import { jsonPrinter, type Log } from '../src/telemetry/log.ts'
import { statsOf } from '../src/telemetry/stats.ts'
import { VERSION } from '../src/telemetry/version.ts'
import { ackAdminRoutes, ackRoutes } from './ack.ts'
import { adminRoutes } from './admin.ts'
import { agentRoutes } from './admin-agent.ts'
import { channelRoutes } from './admin-channels.ts'
import { type ConfigShown, configRoute } from './admin-config.ts'
import { templatesRoute } from './admin-templates.ts'
import { topicRoutes } from './admin-topic.ts'
import { bootOf, type Current, enabled } from './boot.ts'
import { ingestCounts } from './counts.ts'
import { waitsForRestart, withFixed, withoutEffect } from './fixed.ts'
import { submitTo } from './ingest.ts'
import { ingestOn } from './ingest-edges.ts'
import type { AgentQuery, SendQuery, StorageQuery } from './messages.ts'
import { serveMetrics } from './metrics.ts'
import { notReady } from './readiness.ts'
import { Reload } from './reload.ts'
import { reports } from './reports.ts'
import type { Boot, BootWithFigures, SystemSettings } from './settings.ts'
import { observer, statsRoute } from './stats.ts'
import { tailOn } from './tail-edges.ts'
import { TopicIntake } from './topic-intake.ts'

/**
 * The architecture:
 *
 *     main   uWebSockets.js front ---> ingest                 refuses when full: 503
 *              |                         |
 *              +-- tail <---- feed of every thread            counts what does not fit
 *                                        |
 *     store                           storage                 makes ingest wait when full
 *                                        |
 *     send            sender/<channel> ...   oncall           spill: what finds no place stays pending on disk
 *                                        |
 *     render x N              piscina's threads, below send
 *
 *     agent                         agent ---> ingest, store   lags: it pulls from the logs; on when agent.enable is
 *
 * Every worker thread is supervised from main; every arrow is a bounded edge (`messages.ts`). Messages of a topic are verified between front and
 * ingest (`topic.ts`).
 */
const THREADS: readonly {
  readonly name: Boot['thread']
  readonly peers: readonly string[]
  readonly runs: (settings: SystemSettings) => boolean
}[] = [
  { name: 'store', peers: ['send'], runs: () => true },
  { name: 'send', peers: ['store'], runs: () => true },
  { name: 'agent', peers: ['store'], runs: ({ agent }) => agent.enable },
]
const SCRIPT = new URL('./thread.ts', import.meta.url)
/** Threads run TypeScript as it stands; loaders of the process that embeds the system are none of their business. */
const EXEC_ARGV = ['--disable-warning=ExperimentalWarning']

const STOP_MS = 8_000
/** It writes what it has learned; what it has not is read again. */
const AGENT_STOP_MS = 1_500
const ASK_MS = 5_000

export interface System {
  /** The bound port. */
  readonly port: number
  /** All that is served there, as `GET /healthz`. */
  readonly routes: readonly string[]
  /** Swaps what can be swapped while serving and warns of the rest. One at a time; when it rejects, everything runs as it did. */
  reload(settings: SystemSettings, secrets: readonly string[]): Promise<void>
  /** Refuses new incidents, finishes what is under way within 8 s, closes. Safe to call twice. */
  stop(): Promise<void>
}

export interface SystemTools {
  readonly log: Log
  /** Texts that no log line may hold. */
  readonly secrets: readonly string[]
  /** The configuration that the settings come from, as it is now. */
  readonly shown: () => ConfigShown
}

/** Starts everything; rejects with the first thing that cannot start, and leaves nothing running then. */
export async function startSystem(settings: SystemSettings, { log, secrets, shown }: SystemTools): Promise<System> {
  const clock = systemClock
  const report = reports(log)
  const lifecycle = new Lifecycle(clock, report.lifecycle)
  const turns = new Turns()
  const figures = new Figures(() => clock.now())
  const pulse = new Pulse()
  const startedAt = clock.now()
  const links = new Map(THREADS.map(({ name }) => [name, new Link(name, turns, report.lost(name))]))
  const reload = new Reload({ settings, secrets }, () => supervisor, log)
  const supervisor: Supervisor = new Supervisor(
    plans(links, figures, () => reload.current),
    clock,
    {
      ...report.supervisor,
      threadUp(thread, restarts) {
        report.supervisor.threadUp(thread, restarts)
        reload.threadUp(thread)
      },
    },
  )
  const { ingest, ingestEdge } = ingestOn({
    store: linkTo(links, 'store'),
    agent: linkTo(links, 'agent'),
    clock,
    turns,
    report,
    counts: ingestCounts(figures.ingest),
    maxInflight: settings.http.maxInflight,
  })
  const askStorage = (query: StorageQuery) => supervisor.ask('store', 'storage', query, ASK_MS)
  const askSenders = (query: SendQuery, deadlineMs = ASK_MS) => supervisor.ask('send', 'senders', query, deadlineMs)
  const askAgent = (query: AgentQuery) => supervisor.ask('agent', 'agent', query, ASK_MS)
  const observe = observer({
    ...{ figures, startedAt, supervisor, version: VERSION },
    main: {
      status: () => [ingest.status(), tail.cell.status()],
      pulse: () => pulse.read(),
      topic: () => topic.status,
      tailClients: () => tail.hub.clients,
    },
    channels: () => enabled(reload.current.settings).map(({ name }) => name),
    now: () => clock.now(),
  })
  const tail = tailOn({
    links: [...links.values()],
    ...{ clock, turns, report: report.cell },
    publish: (topic, text) => front.publish(topic, text),
    stats: async () => statsOf(await observe()),
  })
  let notes: readonly string[] = withoutEffect(settings)
  const submit = submitTo(ingestEdge)
  const refused = (code: ErrorCode) => figures.ingest.refused[code].add()
  const metrics = serveMetrics(settings.metrics, observe, log)
  const topic = new TopicIntake({ path: settings.topicsvc.path, submit, clock, log, refused })
  const front: Front = createFront({
    ...frontSettings(settings),
    submit,
    ready: () => notReady(supervisor, ingest),
    admin: [
      ...adminRoutes({ askStorage, askRendering: askSenders, recognise }),
      ...channelRoutes({ askStorage, askSenders, settings: () => reload.current.settings }),
      ...ackAdminRoutes({ askStorage }),
      templatesRoute(askSenders),
      statsRoute(observe),
      configRoute(shown, () => notes),
      ...topicRoutes(() => topic.status),
      ...agentRoutes({ askAgent: settings.agent.enable ? askAgent : undefined }),
    ],
    open: [
      openapiRoute(VERSION),
      topic.route,
      ...ackRoutes({ askStorage, key: existingKey(settings.storage.dataDir), now: () => clock.now() }),
    ],
    tail: tail.hub,
    pages: () => openSite(settings.storage.dataDir),
    log,
    refused,
    ...metrics.forFront,
  })
  lifecycle.push('store thread', () => supervisor.stop('store', STOP_MS))
  lifecycle.push('front', () => front.close())
  lifecycle.push('metrics', () => metrics.close())
  lifecycle.push('tail', () => tail.cell.close())
  lifecycle.push('send thread', () => reload.close())
  lifecycle.push('intake', () => front.refuseNew())
  lifecycle.push('topic', () => topic.close())
  lifecycle.push('agent thread', () => settings.agent.enable && supervisor.stop('agent', AGENT_STOP_MS))
  try {
    const threads = supervisor.start()
    compact()
    await threads
    await topic.configure(settings.topicsvc, frontSettings(settings))
    await metrics.listen(settings.host)
    const port = await front.listen(settings.host, settings.port)
    log.info({ port, host: settings.host, channels: enabled(settings).map(({ name }) => name) }, 'ready')
    topic.start()
    for (const note of notes) log.warn({}, note)
    return {
      port,
      routes: front.routes,
      stop: () => lifecycle.close(STOP_MS),
      async reload(asked, nextSecrets) {
        const said = [...waitsForRestart(asked, settings), ...withoutEffect(asked)]
        for (const note of said) log.warn({}, note)
        const next = withFixed(asked, settings)
        const forFront = frontSettings(next)
        await reload.change({ settings: next, secrets: nextSecrets })
        front.reload(forFront)
        notes = said
        await topic.configure(next.topicsvc, forFront)
      },
    }
  } catch (error) {
    await lifecycle.close(STOP_MS)
    throw error
  }
}

function plans(links: ReadonlyMap<Boot['thread'], Link>, figures: Figures, current: () => Current): ThreadPlan[] {
  return THREADS.filter(({ runs }) => runs(current().settings)).map(({ name, peers }) => ({
    name,
    peers,
    script: SCRIPT,
    link: linkTo(links, name),
    boot: (): BootWithFigures => ({ ...bootOf(name, current()), figures: figures.buffer }),
    options: { execArgv: EXEC_ARGV },
  }))
}

function linkTo(links: ReadonlyMap<string, Link>, thread: string): Link {
  const link = links.get(thread)
  if (!link) throw new Error(`no thread is called ${thread}`)
  return link
}

function frontSettings({ http, alert, gatewaySecret, oncall }: SystemSettings): FrontSettings {
  return {
    maxBodyBytes: http.maxBodyBytes,
    intakeToken: http.intakeToken,
    gatewaySecret,
    knownTargets: Object.fromEntries([
      ...Object.values(alert.channels).flatMap(({ name, options }) => {
        const targets = targetsOf(options)
        return targets ? [[name, targets]] : []
      }),
      ['incident_io', [...oncall.incidentIo.otherAlertSourceConfigIds.keys()]],
    ]),
    knownRoutingKeys: [...oncall.pagerduty.otherRoutingKeys.keys()],
    ...(alert.debugBody ? { onPayload: jsonPrinter() } : {}),
  }
}
