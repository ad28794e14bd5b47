import type { FrontSettings } from '../../../src/http/contract.ts'
import type { Cell } from '../../../src/kernel/cell.ts'
import { Link } from '../../../src/kernel/link.ts'
import type { Ref } from '../../../src/kernel/ref.ts'
import type { Supervisor, ThreadPlan } from '../../../src/kernel/supervisor.ts'
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
  settingsOf(current: RunningConfig): FrontSettings
}

interface PlanDeps {
  readonly script: Pick<ThreadPlan, 'script' | 'options'>
  readonly memory: SharedMemory
}

interface RemoteFront {
  readonly name: string
  /** Index in `StoreBoot.fronts`; main's front is 0. */
  readonly index: number
  readonly link: Link
  readonly mail: Ref<FrontMail>
}

const LISTEN_MS = 5_000
const ASK_MS = 1_000
const STOP_MS = 8_000

/**
 * The fronts on threads of their own. They listen once main's front has bound the port. Requests other than the intake
 * are answered on main by the request servers in `cells`.
 */
export class Fronts {
  readonly #deps: FrontsDeps
  readonly #remotes: readonly RemoteFront[]
  #services: MainServices | undefined
  #subscribers: readonly RemoteSubscribers[] = []
  /** The request servers, one for each front. */
  readonly cells: Cell<FrontRequestMail>[] = []
  #address: { readonly host: string; readonly port: number } | undefined

  constructor(deps: FrontsDeps) {
    const { scheduler, report, threads } = deps
    this.#deps = deps
    this.#remotes = frontNames(threads).flatMap((name, index) => {
      if (index === 0) return []
      const link = new Link(name, scheduler, report.lost(name))
      return [{ name, index, link, mail: link.outlet<FrontMail>('front', FRONT_WINDOW) }]
    })
  }

  get links(): readonly Link[] {
    return this.#remotes.map(({ link }) => link)
  }

  /** Starts the request servers. Call it before the threads start. */
  serve(services: MainServices): void {
    const { spawn, meters } = this.#deps
    this.#services = services
    this.#subscribers = this.#remotes.map(({ name, link, mail }) => {
      const clients = new RemoteSubscribers(services.tail, mail)
      const { cell } = spawn<FrontRequestMail>({
        name: `relay/${name}`,
        address: 'relay',
        places: FRONT_REQUEST_WINDOW,
        batch: FRONT_REQUEST_WINDOW,
        slots: 'held',
        from: [link],
        watch: [link],
        build: () => frontRequestActor({ services, front: mail, clients, meters }),
      })
      this.cells.push(cell)
      return clients
    })
  }

  plans({ script, memory }: PlanDeps): ThreadPlan[] {
    return this.#remotes.map(({ name, index, link }) => ({
      ...script,
      name,
      link,
      peers: ['journal'],
      boot: (): BootWithMemory => ({ ...this.#boot(index), ...memory, term: 0 }),
    }))
  }

  #boot(index: number): FrontBoot {
    const { current } = this.#deps
    if (!this.#services) throw new Error('main does not serve fronts yet')
    const { admin, publicRoutes, metrics, tickets, throttle } = this.#services
    const settings = this.#settings()
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
        publicRoutes: publicRoutes.map(({ answer: _, ...spec }) => spec),
        metrics: metrics !== undefined,
      },
    }
  }

  #settings(): RemoteFrontSettings {
    const { current, settingsOf } = this.#deps
    const { settings, secrets } = current()
    const { onPayload: _, ...front } = settingsOf(current())
    return { front, debugBody: settings.alert.debugBody, log: { level: settings.log.level, secrets } }
  }

  /** Rejects when one of them cannot. */
  async listen(host: string, port: number): Promise<void> {
    this.#address = { host, port }
    await this.#askAll(LISTEN_MS, (ask) => ask({ kind: 'listen', host, port }))
  }

  /** Brings a front that was restarted up to date: its boot settings may be old by now, and it does not listen yet. */
  threadUp(name: string): void {
    if (this.#address === undefined || !this.#remotes.some((other) => other.name === name)) return
    const address = this.#address
    const ask = this.#askOf(name, LISTEN_MS)
    ask({ kind: 'settings', settings: this.#settings() })
      .then(() => ask({ kind: 'listen', ...address }))
      .catch((error) =>
        this.#deps.log.error({ thread: name, error: String(error) }, 'a front cannot listen on the port'),
      )
  }

  publish(topic: string, text: string): void {
    for (const clients of this.#subscribers) clients.publish(topic, text)
  }

  /** Sends the current settings. A front that is down gets them when it is up. */
  async reload(): Promise<void> {
    const settings = this.#settings()
    await this.#askAll(ASK_MS, (ask) => ask({ kind: 'settings', settings })).catch(() => {})
  }

  async refuseNew(): Promise<void> {
    this.#address = undefined
    await this.#askAll(ASK_MS, (ask) => ask({ kind: 'refuse' })).catch(() => {})
  }

  async close(): Promise<void> {
    await Promise.all(this.#remotes.map(({ name }) => this.#deps.supervisor().stop(name, STOP_MS)))
  }

  /** Asks every front; rejects with the first failure after all have answered or failed. */
  async #askAll(deadlineMs: number, question: (ask: Ask<FrontQueries>) => Promise<unknown>): Promise<void> {
    const answers = await Promise.allSettled(this.#remotes.map(({ name }) => question(this.#askOf(name, deadlineMs))))
    for (const each of answers) if (each.status === 'rejected') throw each.reason
  }

  #askOf(name: string, deadlineMs: number): Ask<FrontQueries> {
    return createAsks(this.#deps.supervisor(), deadlineMs).askFront(name)
  }
}
