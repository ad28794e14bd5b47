import type { Cell } from '../../../src/kernel/cell.ts'
import { Link } from '../../../src/kernel/link.ts'
import type { ThreadPlan } from '../../../src/kernel/supervision/supervised.ts'
import type { Supervisor } from '../../../src/kernel/supervision/supervisor.ts'
import type { TurnScheduler } from '../../../src/kernel/turn-scheduler.ts'
import type { Log } from '../../../src/telemetry/log.ts'
import type { IngestMeters } from '../../../src/telemetry/meters.ts'
import { FRONT_REQUEST_WINDOW, FRONT_WINDOW, type FrontMail, type FrontRequestMail } from '../../messages/front-main.ts'
import type { FrontQueries, RemoteFrontSettings } from '../../messages/front-queries.ts'
import type { Ask } from '../../messages/query.ts'
import type { BootWithMemory } from '../../wiring/boot.ts'
import { answerWithinMs, frontNames, type RunningConfig } from '../../wiring/boot.ts'
import type { LogReports } from '../../wiring/log-reports.ts'
import type { FrontBoot, SharedMemory } from '../../wiring/settings.ts'
import type { Spawn } from '../../wiring/spawn.ts'
import { createAsks } from '../ask.ts'
import { frontSettings } from '../front-settings.ts'
import { RemoteSubscribers } from './remote-subscribers.ts'
import { frontRequestActor, type MainServices } from './request-server.ts'

interface FrontsDeps {
  readonly spawn: Spawn
  /** `http.threads`: number of fronts, main's included. */
  readonly threads: number
  readonly scheduler: TurnScheduler
  readonly report: Pick<LogReports, 'lost'>
  readonly log: Log
  /** Meters of main, to which the counts of all fronts are added. */
  readonly meters: IngestMeters
  supervisor(): Supervisor
  current(): RunningConfig
}

interface PlanDeps {
  readonly script: Pick<ThreadPlan, 'script' | 'options'>
  readonly memory: SharedMemory
}

const LISTEN_MS = 5_000
const ASK_MS = 1_000
const STOP_MS = 8_000

/**
 * The fronts on threads of their own. They listen once main's front has bound the port. Requests other than the intake
 * are answered on main by the request servers in `cells`.
 */
export function createFronts({ spawn, threads, scheduler, report, log, meters, supervisor, current }: FrontsDeps) {
  const remotes = frontNames(threads).flatMap((name, index) => {
    if (index === 0) return []
    const link = new Link(name, scheduler, report.lost(name))
    return [{ name, index, link, mail: link.outlet<FrontMail>('front', FRONT_WINDOW) }]
  })
  /** The request servers, one for each front. */
  const cells: Cell<FrontRequestMail>[] = []
  const subscribers: RemoteSubscribers[] = []
  let services: MainServices | undefined
  let address: { readonly host: string; readonly port: number } | undefined

  function bootOf(index: number): FrontBoot {
    if (!services) throw new Error('main does not serve fronts yet')
    const { admin, publicRoutes, metrics, tickets, throttle } = services
    const settings = remoteSettings()
    return {
      thread: 'front',
      index,
      settings,
      log: settings.log,
      maxInflight: current().settings.http.maxInflight,
      answerWithinMs: answerWithinMs(current().settings.storage),
      ...(tickets.buffer && { tickets: tickets.buffer }),
      throttle: throttle.buffer,
      routes: {
        admin: admin.map(({ answer: _, ...spec }) => spec),
        publicRoutes: publicRoutes.map(({ answer: _, unavailable: __, ...spec }) => spec),
        metrics: metrics !== undefined,
      },
    }
  }

  function remoteSettings(): RemoteFrontSettings {
    const { settings, secrets } = current()
    const { onPayload: _, ...front } = frontSettings(settings)
    return { front, debugBody: settings.alert.debugBody, log: { level: settings.log.level, secrets } }
  }

  const askOf = (name: string, deadlineMs: number) => createAsks(supervisor(), deadlineMs).askFront(name)

  /** Asks every front; rejects with the first failure after all have answered or failed. */
  async function askAll(deadlineMs: number, question: (ask: Ask<FrontQueries>) => Promise<unknown>): Promise<void> {
    const answers = await Promise.allSettled(remotes.map(({ name }) => question(askOf(name, deadlineMs))))
    for (const each of answers) if (each.status === 'rejected') throw each.reason
  }

  return {
    cells,
    links: remotes.map(({ link }) => link),
    /** Starts the request servers. Call it before the threads start. */
    serve(own: MainServices): void {
      services = own
      for (const { name, link, mail } of remotes) {
        const clients = new RemoteSubscribers(own.tail, mail)
        const { cell } = spawn<FrontRequestMail>({
          name: `relay/${name}`,
          address: 'relay',
          places: FRONT_REQUEST_WINDOW,
          batch: FRONT_REQUEST_WINDOW,
          slots: 'held',
          from: [link],
          watch: [link],
          build: () => frontRequestActor({ services: own, front: mail, clients, meters }),
        })
        cells.push(cell)
        subscribers.push(clients)
      }
    },
    plans: ({ script, memory }: PlanDeps): ThreadPlan[] =>
      remotes.map(({ name, index, link }) => ({
        ...script,
        name,
        link,
        peers: ['journal'],
        boot: (): BootWithMemory => ({ ...bootOf(index), ...memory, term: 0 }),
      })),
    /** Rejects when one of them cannot. */
    async listen(host: string, port: number): Promise<void> {
      address = { host, port }
      await askAll(LISTEN_MS, (ask) => ask({ kind: 'listen', host, port }))
    },
    /** Brings a front that was restarted up to date: its boot settings may be old by now, and it does not listen yet. */
    threadUp(name: string): void {
      if (address === undefined || !remotes.some((other) => other.name === name)) return
      const { host, port } = address
      const ask = askOf(name, LISTEN_MS)
      ask({ kind: 'settings', settings: remoteSettings() })
        .then(() => ask({ kind: 'listen', host, port }))
        .catch((error) => log.error({ thread: name, error: String(error) }, 'a front cannot listen on the port'))
    },
    publish(topic: string, text: string): void {
      for (const clients of subscribers) clients.publish(topic, text)
    },
    /** Sends the current settings. A front that is down gets them when it is up. */
    async reload(): Promise<void> {
      const settings = remoteSettings()
      await askAll(ASK_MS, (ask) => ask({ kind: 'settings', settings })).catch(() => {})
    },
    async refuseNew(): Promise<void> {
      address = undefined
      await askAll(ASK_MS, (ask) => ask({ kind: 'refuse' })).catch(() => {})
    },
    async close(): Promise<void> {
      await Promise.all(remotes.map(({ name }) => supervisor().stop(name, STOP_MS)))
    },
  }
}
