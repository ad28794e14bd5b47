import type { EffectiveConfig } from '../src/api/config.ts'
import { createFront, type Front } from '../src/http/front.ts'
import { createProgressMemory, SharedProgress } from '../src/journal/progress.ts'
import { systemClock } from '../src/kernel/clock.ts'
import { EventLoopMonitor } from '../src/kernel/event-loop-monitor.ts'
import { Supervisor } from '../src/kernel/supervision/supervisor.ts'
import { TurnScheduler } from '../src/kernel/turn-scheduler.ts'
import { makeDirectory } from '../src/store/engine/database.ts'
import type { Log } from '../src/telemetry/log.ts'
import { openMeters } from '../src/telemetry/meters.ts'
import { statsOf } from '../src/telemetry/stats.ts'
import { VERSION } from '../src/telemetry/version.ts'
import { createIngest, ingestCounts } from './front/ingest-cell.ts'
import { createAsks } from './main/ask.ts'
import type { Member } from './main/cluster/member.ts'
import { frontSettings } from './main/front-settings.ts'
import { createFronts } from './main/fronts/fronts.ts'
import { createInputs, inputsOf } from './main/inputs.ts'
import { serveMetrics } from './main/metrics.ts'
import { createObserver } from './main/observe.ts'
import { Rehearsals } from './main/rehearsals.ts'
import { checkTemplates, Reload } from './main/reload.ts'
import { keepRestartOnly, restartWarnings } from './main/restart-only.ts'
import { mainServices } from './main/services.ts'
import { STOP_MS, shutdownOrder } from './main/shutdown.ts'
import { createTail } from './main/tail-cell.ts'
import { openLinks, threadPlans } from './main/threads.ts'
import { REHEARSAL_SCRIPT, WORKER_SCRIPT } from './scripts.ts'
import { answerWithinMs, enabledChannels } from './wiring/boot.ts'
import { logReports } from './wiring/log-reports.ts'
import type { Propose, SystemSettings } from './wiring/settings.ts'
import { createSpawn } from './wiring/spawn.ts'

/*
 * The architecture. A webhook goes down the middle. An arrow between two actors is a bounded edge of `messages/`.
 *
 *     main       HTTP front, topic, doors ---accept--> ingest <--raise-- agent      tail hub <--events-- every thread
 *     front-n    HTTP front -----------------accept--> ingest
 *                                                         |
 *                                                  commit v
 *     journal                                          journal
 *                                                         |
 *                                                 entries v
 *     store             cursors        indexing        storage
 *                          ^                           |     |
 *                          |                   deliver v     v page
 *     send                 |           sender/<channel>     oncall, the pager --> on-call provider
 *                          |                  |      |
 *                          |           render v      '--> provider
 *     render x N           |           template
 *                          | remember
 *     agent              agent --raise--> ingest on main
 *
 * Threads front-n exist with `http.threads` above 1; main answers their requests except the intake. When an edge is
 * full, the front answers 503, ingest waits for the journal, storage reads frames from the files, deliveries and pages
 * stay on disk, the agent reads its logs later, tail events are counted as missed. Main supervises all other threads;
 * `worker.ts` is their script, and a rehearsal has a thread of its own while it runs.
 */

const ASK_MS = 5_000

export interface System {
  /** The bound port. */
  readonly port: number
  /** Routes on the port, such as `GET /healthz`. */
  readonly routes: readonly string[]
  /**
   * Applies new settings while serving; logs a warning for each that waits for a restart. Runs one at a time. When it
   * rejects, the system runs as before.
   */
  reload(settings: SystemSettings, secrets: readonly string[]): Promise<void>
  /** Refuses new incidents, finishes what is under way within 8 s, closes everything. Safe to call twice. */
  stop(): Promise<void>
}

interface SystemDeps {
  readonly log: Log
  /** Texts that are masked in every log line. */
  readonly secrets: readonly string[]
  /** The configuration as it was loaded last. */
  readonly shown: () => EffectiveConfig
  /** Goes with the texts that were loaded last. */
  readonly propose: Propose
}

/** Starts all threads and listens. Rejects with the first error; everything is stopped then. */
export async function startSystem(settings: SystemSettings, deps: SystemDeps): Promise<System> {
  const { log } = deps
  const member = await memberOf(settings, log)
  const main = buildMain(settings, deps, member)
  const lifecycle = shutdownOrder(main, settings, log)
  try {
    const port = await startMain(main, settings)
    log.info({ port, host: settings.host, channels: enabledChannels(settings).map(({ name }) => name) }, 'ready')
    // The topic calls back at once, so the front must be listening.
    main.topic.start()
    main.heartbeats.start()
    main.doors.start()
    main.answers.look()
    main.startBeats()
    return {
      port,
      routes: main.front.routes,
      stop: () => lifecycle.close(STOP_MS),
      async reload(asked, nextSecrets) {
        const warnings = restartWarnings(asked, settings)
        for (const note of warnings) log.warn({}, note)
        const next = keepRestartOnly(asked, settings)
        // First, because it could throw, and then nothing has changed.
        const nextFront = frontSettings(next)
        await main.config.change({ settings: next, secrets: nextSecrets })
        main.front.reload(nextFront)
        main.answers.look()
        await main.fronts.reload()
        main.notes.restart = warnings
        await main.topic.configure(next.topicsvc, nextFront)
      },
    }
  } catch (error) {
    await lifecycle.close(STOP_MS)
    throw error
  }
}

/** Starts the threads, then opens the ports. Returns the main port. */
async function startMain(main: ReturnType<typeof buildMain>, settings: SystemSettings): Promise<number> {
  // Before the threads, several of which keep files there.
  makeDirectory(settings.storage.dataDir)
  // A follower starts no send thread, which would find them.
  if (main.roles) await checkTemplates(settings)
  const threads = main.supervisor.start(main.roles?.isOfAll)
  main.roles?.start()
  await threads
  await main.topic.configure(settings.topicsvc, frontSettings(settings))
  await main.metrics.listen(settings.host)
  const port = await main.front.listen(settings.host, settings.port)
  await main.fronts.listen(settings.host, port)
  return port
}

/** Loads the code of replicas only when they share a database. */
async function memberOf({ storage, replica }: SystemSettings, log: Log): Promise<Member | undefined> {
  if (storage.type === 'file') return undefined
  const { createMember } = await import('./main/cluster/member.ts')
  const member = createMember(storage, replica, log)
  await member.join()
  return member
}

/** Wires main's actors and its front. Starts no thread and opens no port. Long, because it is one list without steps. */
function buildMain(settings: SystemSettings, { log, secrets, shown, propose }: SystemDeps, member: Member | undefined) {
  const clock = member?.clock ?? systemClock
  const now = () => clock.now()
  const startedAt = now()
  const report = logReports(log)
  const scheduler = new TurnScheduler()
  const spawn = createSpawn({ clock, scheduler, report: report.cell })
  const meters = openMeters(now)
  const eventLoop = new EventLoopMonitor()
  const notes: { restart: readonly string[] } = { restart: [] }

  // Threads
  const links = openLinks(scheduler, report)
  const config = new Reload(
    { settings, secrets },
    { supervisor: () => supervisor, log, runs: (thread) => roles?.runs(thread) ?? true },
  )
  const current = () => config.current
  const fronts = createFronts({
    spawn,
    scheduler,
    report,
    log,
    threads: settings.http.threads,
    meters: meters.ingest,
    supervisor: () => supervisor,
    current,
  })
  const memory = { meters: meters.buffer, progress: createProgressMemory(), ...member?.memory }
  const start = { script: WORKER_SCRIPT, memory }
  const plans = [...threadPlans(links, { ...start, current, term: () => member?.term ?? 0 }), ...fronts.plans(start)]
  const supervisor: Supervisor = new Supervisor(plans, clock, {
    ...report.supervisor,
    threadUp(thread, restarts) {
      report.supervisor.threadUp(thread, restarts)
      config.threadUp(thread)
      fronts.threadUp(thread)
    },
  })

  const roles = member?.roles({ supervisor, log, progress: new SharedProgress(memory.progress) })
  // The way of an incident, as far as it is main's
  const { ingest, submit } = createIngest({
    name: 'ingest',
    front: 0,
    firstBatch: 0,
    spawn,
    scheduler,
    journal: links.journal,
    agent: links.agent,
    clock,
    report,
    counts: ingestCounts(meters.ingest),
    maxInflight: settings.http.maxInflight,
    answerWithinMs: answerWithinMs(settings.storage),
  })
  const asks = createAsks(supervisor, ASK_MS)
  const inputs = createInputs({
    ...asks,
    submit,
    clock,
    log,
    meters: meters.ingest,
    topicPath: settings.topicsvc.path,
    settings: () => current().settings,
    ...inputsOf(member, roles),
  })
  const { doors, answers, topic, refused, warned } = inputs
  // Statistics, metrics, live tail
  const observe = createObserver({
    meters,
    startedAt,
    supervisor,
    version: VERSION,
    main: {
      status: () => [ingest, tail.cell, ...fronts.cells].map((cell) => cell.status()),
      eventLoop: () => eventLoop.read(),
      topic: () => topic.status,
      doors: () => doors.status().doors,
      alerts: () => doors.alerts(),
      answers: () => answers.figures(),
      ...inputs.figures,
      tailClients: () => tail.hub.clients,
      links: () => [...Object.values(links), ...fronts.links],
    },
    channels: () => enabledChannels(current().settings).map(({ name }) => name),
    ...(member && { cluster: () => member.snapshot() }),
    now,
  })
  const metrics = serveMetrics(settings, observe, log)
  const tail = createTail({
    spawn,
    links: Object.values(links),
    clock,
    publish(topic, text) {
      front.publish(topic, text)
      fronts.publish(topic, text)
    },
    stats: async () => statsOf(await observe()),
  })

  // HTTP
  const rehearsals = new Rehearsals({ ...asks, script: REHEARSAL_SCRIPT, now })
  const { services, close } = mainServices({
    ...asks,
    ...inputs,
    member,
    supervisor,
    ingest,
    rehearsals,
    propose,
    observe,
    shown,
    metrics,
    log,
    now,
    hub: tail.hub,
    settings: () => current().settings,
    restartNotes: () => notes.restart,
  })
  const sharing = settings.http.threads > 1 ? { sharedPort: 'opens' as const } : {}
  const front: Front = createFront({
    ...frontSettings(settings),
    ...services,
    ...sharing,
    submit,
    now,
    log,
    refused,
    warned,
  })
  fronts.serve(services)
  return {
    ...inputs,
    config,
    supervisor,
    member,
    roles,
    front,
    fronts,
    metrics,
    rehearsals,
    tail: tail.cell,
    forwarding: { close },
    startBeats: () => member?.start({ startedAt, meters, now, inflight: () => ingest.status().occupied }),
    notes,
  }
}
