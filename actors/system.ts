import type { EffectiveConfig } from '../src/api/config.ts'
import { SingleFlight } from '../src/async/single-flight.ts'
import { targetsOf } from '../src/channels/index.ts'
import { openSite } from '../src/dashboard/site.ts'
import type { ErrorCode } from '../src/domain/errors.ts'
import type { Front, FrontSettings } from '../src/http/contract.ts'
import { createFront } from '../src/http/front.ts'
import { openapiRoute } from '../src/http/openapi/route.ts'
import { Tickets } from '../src/http/tickets.ts'
import { recognise } from '../src/intake/recognise.ts'
import { sinceBootMs, systemClock } from '../src/kernel/clock.ts'
import { EventLoopMonitor } from '../src/kernel/event-loop-monitor.ts'
import { Lifecycle } from '../src/kernel/lifecycle.ts'
import { Link } from '../src/kernel/link.ts'
import { shrinkHeap } from '../src/kernel/shrink-heap.ts'
import { Supervisor, type ThreadPlan } from '../src/kernel/supervisor.ts'
import { TurnScheduler } from '../src/kernel/turn-scheduler.ts'
import { existingKey } from '../src/oncall/ack-key.ts'
import { makeDirectory } from '../src/store/engine/data-directory.ts'
import { jsonPrinter, type Log } from '../src/telemetry/log.ts'
import { Meters } from '../src/telemetry/meters.ts'
import { statsOf } from '../src/telemetry/stats.ts'
import { VERSION } from '../src/telemetry/version.ts'
import { createIngest } from './front/ingest-cell.ts'
import { ingestCounts } from './front/ingest-counts.ts'
import { submitTo } from './front/submit.ts'
import { ackAdminRoutes, ackRoutes } from './main/api/acknowledge.ts'
import { agentRoutes } from './main/api/agent.ts'
import { channelRoutes } from './main/api/channels.ts'
import { configRoute } from './main/api/config.ts'
import { adminRoutes } from './main/api/incidents.ts'
import { statsRoute } from './main/api/stats.ts'
import { templatesRoute } from './main/api/templates.ts'
import { topicRoutes } from './main/api/topic.ts'
import { createAskAgent, createAskSenders, createAskStorage } from './main/ask.ts'
import { Fronts } from './main/fronts/fronts.ts'
import type { MainServices } from './main/fronts/request-server.ts'
import { serveMetrics } from './main/metrics.ts'
import { createObserver } from './main/observe.ts'
import { notReady } from './main/readiness.ts'
import { Reload } from './main/reload.ts'
import { keepRestartOnly, restartWarnings } from './main/restart-only.ts'
import { createTail } from './main/tail-cell.ts'
import { TopicIntake } from './main/topic/intake.ts'
import { bootOf, type ConfiguredThread, enabledChannels, type RunningConfig } from './wiring/boot.ts'
import { logReports } from './wiring/log-reports.ts'
import type { BootWithMeters, SystemSettings } from './wiring/settings.ts'
import { createSpawn } from './wiring/spawn.ts'

/**
 * The architecture:
 *
 *     main   uWebSockets.js front ---> ingest                 refuses when full: 503
 *     front-2 ...  the same, N - 1 times with http.threads: N; what is not an incident is relayed to main
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
  readonly name: ConfiguredThread
  readonly peers: readonly string[]
  readonly runs: (settings: SystemSettings) => boolean
}[] = [
  { name: 'store', peers: ['send'], runs: () => true },
  { name: 'send', peers: ['store'], runs: () => true },
  { name: 'agent', peers: ['store'], runs: ({ agent }) => agent.enable },
]
const SCRIPT = new URL('./worker.ts', import.meta.url)
/** Threads run TypeScript as it stands; loaders of the process that embeds the system are none of their business. */
const WORKER_SCRIPT = { script: SCRIPT, options: { execArgv: ['--disable-warning=ExperimentalWarning'] } }

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

interface SystemDeps {
  readonly log: Log
  /** Texts that no log line may hold. */
  readonly secrets: readonly string[]
  /** The configuration that the settings come from, as it is now. */
  readonly shown: () => EffectiveConfig
}

/** Starts everything; rejects with the first thing that cannot start, and leaves nothing running then. */
export async function startSystem(settings: SystemSettings, { log, secrets, shown }: SystemDeps): Promise<System> {
  const clock = systemClock
  const report = logReports(log)
  const lifecycle = new Lifecycle(clock, report.lifecycle)
  const scheduler = new TurnScheduler()
  const spawn = createSpawn({ clock, scheduler, report: report.cell })
  const meters = new Meters(() => clock.now())
  const eventLoop = new EventLoopMonitor()
  const startedAt = clock.now()
  const links = new Map(THREADS.map(({ name }) => [name, new Link(name, scheduler, report.lost(name))]))
  const reload = new Reload({ settings, secrets }, () => supervisor, log)
  const fronts = new Fronts({
    spawn,
    scheduler,
    report,
    log,
    threads: settings.http.threads,
    meters: meters.ingest,
    supervisor: () => supervisor,
    current: () => reload.current,
    settingsOf: ({ settings }) => frontSettings(settings),
  })
  const supervisor: Supervisor = new Supervisor(
    [...threadPlans(links, meters, () => reload.current), ...fronts.plans(meters.buffer, WORKER_SCRIPT)],
    clock,
    {
      ...report.supervisor,
      threadUp(thread, restarts) {
        report.supervisor.threadUp(thread, restarts)
        reload.threadUp(thread)
        fronts.threadUp(thread)
      },
    },
  )
  const { ingest, ingestEdge } = createIngest({
    name: 'ingest',
    front: 0,
    firstBatch: 0,
    spawn,
    store: linkTo(links, 'store'),
    agent: linkTo(links, 'agent'),
    clock,
    report,
    counts: ingestCounts(meters.ingest),
    maxInflight: settings.http.maxInflight,
  })
  const askStorage = createAskStorage(supervisor, ASK_MS)
  const askSenders = createAskSenders(supervisor, ASK_MS)
  const askAgent = createAskAgent(supervisor, ASK_MS)
  const observe = createObserver({
    meters,
    startedAt,
    supervisor,
    version: VERSION,
    main: {
      status: () => [ingest, tail.cell, ...fronts.cells].map((cell) => cell.status()),
      eventLoop: () => eventLoop.read(),
      topic: () => topic.status,
      tailClients: () => tail.hub.clients,
      links: () => Object.fromEntries([...links.values(), ...fronts.links].map(({ peer, counts }) => [peer, counts])),
    },
    channels: () => enabledChannels(reload.current.settings).map(({ name }) => name),
    now: () => clock.now(),
  })
  const tail = createTail({
    spawn,
    links: [...links.values()],
    clock,
    publish(topic, text) {
      front.publish(topic, text)
      fronts.publish(topic, text)
    },
    stats: async () => statsOf(await observe()),
  })
  let restartNotes: readonly string[] = []
  const submit = submitTo(ingestEdge, scheduler)
  const refused = (code: ErrorCode) => meters.ingest.refused[code].add()
  const metrics = serveMetrics(settings.metrics, observe, log)
  const topic = new TopicIntake({ path: settings.topicsvc.path, submit, clock, log, refused })
  const site = new SingleFlight(() => openSite(settings.storage.dataDir))
  const services: MainServices = {
    ready: () => notReady(supervisor, ingest),
    admin: [
      ...adminRoutes({ askStorage, askSenders, recognise }),
      ...channelRoutes({ askStorage, askSenders, settings: () => reload.current.settings }),
      ...ackAdminRoutes({ askStorage }),
      templatesRoute(askSenders),
      statsRoute(observe),
      configRoute(shown, () => restartNotes),
      ...topicRoutes(() => topic.status),
      ...agentRoutes({ askAgent: settings.agent.enable ? askAgent : undefined }),
    ],
    publicRoutes: [
      openapiRoute(VERSION),
      topic.route,
      ...ackRoutes({ askStorage, key: existingKey(settings.storage.dataDir), now: () => clock.now() }),
    ],
    tail: tail.hub,
    tickets: new Tickets(sinceBootMs),
    pages: () => site.run(),
    ...metrics.forFront,
  }
  const sharing = settings.http.threads > 1 ? { sharedPort: 'opens' as const } : {}
  const front: Front = createFront({ ...frontSettings(settings), ...services, ...sharing, submit, log, refused })
  fronts.serve(services)
  lifecycle.push('store thread', () => supervisor.stop('store', STOP_MS))
  lifecycle.push('front', () => front.close())
  lifecycle.push('other fronts', () => fronts.close())
  lifecycle.push('metrics', () => metrics.close())
  lifecycle.push('tail', () => tail.cell.close())
  lifecycle.push('send thread', () => reload.close())
  lifecycle.push('intake', () => front.refuseNew())
  lifecycle.push('intake of other fronts', () => fronts.refuseNew())
  lifecycle.push('topic', () => topic.close())
  lifecycle.push('agent thread', () => settings.agent.enable && supervisor.stop('agent', AGENT_STOP_MS))
  try {
    // Threads start at once, and more than one of them keeps files there.
    makeDirectory(settings.storage.dataDir)
    const threads = supervisor.start()
    shrinkHeap()
    await threads
    await topic.configure(settings.topicsvc, frontSettings(settings))
    await metrics.listen(settings.host)
    const port = await front.listen(settings.host, settings.port)
    await fronts.listen(settings.host, port)
    log.info({ port, host: settings.host, channels: enabledChannels(settings).map(({ name }) => name) }, 'ready')
    topic.start()
    return {
      port,
      routes: front.routes,
      stop: () => lifecycle.close(STOP_MS),
      async reload(asked, nextSecrets) {
        const warnings = restartWarnings(asked, settings)
        for (const note of warnings) log.warn({}, note)
        const next = keepRestartOnly(asked, settings)
        const forFront = frontSettings(next)
        await reload.change({ settings: next, secrets: nextSecrets })
        front.reload(forFront)
        await fronts.reload()
        restartNotes = warnings
        await topic.configure(next.topicsvc, forFront)
      },
    }
  } catch (error) {
    await lifecycle.close(STOP_MS)
    throw error
  }
}

function threadPlans(
  links: ReadonlyMap<ConfiguredThread, Link>,
  meters: Meters,
  current: () => RunningConfig,
): ThreadPlan[] {
  return THREADS.filter(({ runs }) => runs(current().settings)).map(({ name, peers }) => ({
    name,
    peers,
    ...WORKER_SCRIPT,
    link: linkTo(links, name),
    boot: (): BootWithMeters => ({ ...bootOf(name, current()), meters: meters.buffer }),
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
