import type { FrontSettings } from '../../../src/http/contract.ts'
import { Cell } from '../../../src/kernel/cell.ts'
import type { Clock } from '../../../src/kernel/clock.ts'
import { Link } from '../../../src/kernel/link.ts'
import type { Ref } from '../../../src/kernel/ref.ts'
import type { Supervisor, ThreadPlan } from '../../../src/kernel/supervisor.ts'
import type { Turns } from '../../../src/kernel/turn-scheduler.ts'
import type { Log } from '../../../src/telemetry/log.ts'
import type { IngestFigures } from '../../../src/telemetry/meters.ts'
import {
  FRONT_WINDOW,
  type FrontMail,
  type FrontQuery,
  RELAY_WINDOW,
  type RelayedSettings,
  type RelayMail,
} from '../../messages/front-main.ts'
import { PEER_WINDOW } from '../../messages/peer.ts'
import { type Current, frontNames } from '../../wiring/boot.ts'
import type { Reports } from '../../wiring/log-reports.ts'
import { announcePeer } from '../../wiring/peers.ts'
import type { FrontBoot } from '../../wiring/settings.ts'
import { RemoteClients } from './remote-subscribers.ts'
import { type Relayed, relayActor } from './request-server.ts'

export interface FrontsTools {
  /** All fronts, main's among them. */
  readonly threads: number
  readonly clock: Clock
  readonly turns: Turns
  readonly report: Reports
  readonly log: Log
  /** Of all fronts. */
  readonly figures: IngestFigures
  supervisor(): Supervisor
  current(): Current
  settingsOf(current: Current): FrontSettings
}

interface Other {
  readonly name: string
  /** Main's is 0. */
  readonly nth: number
  readonly link: Link
  readonly mail: Ref<FrontMail>
}

const LISTEN_MS = 5_000
const TELL_MS = 1_000
const STOP_MS = 8_000

/** The fronts beside main's, each on a thread of its own. They listen as soon as main's has the port; what is not theirs to answer is relayed. */
export class Fronts {
  readonly #tools: FrontsTools
  readonly #others: readonly Other[]
  #relayed: Relayed | undefined
  #clients: readonly RemoteClients[] = []
  /** Those that answer them, on main. */
  readonly cells: Cell<RelayMail>[] = []
  #place: { readonly host: string; readonly port: number } | undefined

  constructor(tools: FrontsTools) {
    const { turns, report, threads } = tools
    this.#tools = tools
    this.#others = frontNames(threads).flatMap((name, nth) => {
      if (nth === 0) return []
      const link = new Link(name, turns, report.lost(name))
      return [{ name, nth, link, mail: link.outlet<FrontMail>('front', FRONT_WINDOW) }]
    })
  }

  /** What they are to be answered by; before their threads are started. */
  relay(relayed: Relayed): void {
    const { clock, turns, report, figures } = this.#tools
    this.#relayed = relayed
    this.#clients = this.#others.map(({ name, link, mail }) => {
      const clients = new RemoteClients(relayed.tail, mail)
      const cell = new Cell<RelayMail>(
        {
          name: `relay/${name}`,
          mailbox: { capacity: RELAY_WINDOW + PEER_WINDOW, whenFull: 'wait' },
          batch: RELAY_WINDOW,
          places: 'held',
          build: () => relayActor({ relayed, front: mail, clients, figures }),
        },
        { clock, turns, report: report.cell },
      )
      this.cells.push(cell)
      link.inlet('relay', cell.mailbox)
      announcePeer(link, cell)
      return clients
    })
  }

  plans(figures: SharedArrayBuffer, how: Pick<ThreadPlan, 'script' | 'options'>): ThreadPlan[] {
    return this.#others.map(({ name, nth, link }) => ({
      ...{ ...how, name, link },
      peers: ['store'],
      boot: () => ({ ...this.#boot(nth), figures }),
    }))
  }

  #boot(nth: number): FrontBoot {
    const { threads, current } = this.#tools
    if (!this.#relayed) throw new Error('nobody is there to answer a front')
    const { admin, open, metrics, tickets } = this.#relayed
    const settings = this.#settings()
    return {
      ...{ thread: 'front', nth, fronts: threads, settings, log: settings.log },
      maxInflight: current().settings.http.maxInflight,
      tickets: tickets.buffer,
      routes: {
        admin: admin.map(({ method, path, takes }) => ({ method, path, ...(takes && { takes }) })),
        open: open.map(({ answer: _, ...spec }) => spec),
        metrics: metrics !== undefined,
      },
    }
  }

  #settings(): RelayedSettings {
    const { current, settingsOf } = this.#tools
    const { settings, secrets } = current()
    const { onPayload: _, ...front } = settingsOf(current())
    return { front, debugBody: settings.alert.debugBody, log: { level: settings.log.level, secrets } }
  }

  /** Rejects when one of them cannot. */
  async listen(host: string, port: number): Promise<void> {
    this.#place = { host, port }
    await this.#askAll({ kind: 'listen', host, port }, LISTEN_MS)
  }

  /** One that was started again has the settings of its start, which may have changed meanwhile, and does not listen. */
  threadUp(name: string): void {
    if (this.#place === undefined || !this.#others.some((other) => other.name === name)) return
    const listen: FrontQuery = { kind: 'listen', ...this.#place }
    this.#ask(name, { kind: 'settings', settings: this.#settings() }, LISTEN_MS)
      .then(() => this.#ask(name, listen, LISTEN_MS))
      .catch((error) => this.#tools.log.error({ thread: name, error: String(error) }, 'a front does not listen'))
  }

  publish(topic: string, text: string): void {
    for (const clients of this.#clients) clients.publish(topic, text)
  }

  /** By the settings that are current. One that is down hears of them when it is up. */
  async reload(): Promise<void> {
    await this.#askAll({ kind: 'settings', settings: this.#settings() }, TELL_MS).catch(() => {})
  }

  async refuseNew(): Promise<void> {
    this.#place = undefined
    await this.#askAll({ kind: 'refuse' }, TELL_MS).catch(() => {})
  }

  async close(): Promise<void> {
    await Promise.all(this.#others.map(({ name }) => this.#tools.supervisor().stop(name, STOP_MS)))
  }

  async #askAll(query: FrontQuery, deadlineMs: number): Promise<void> {
    const asked = await Promise.allSettled(this.#others.map(({ name }) => this.#ask(name, query, deadlineMs)))
    for (const each of asked) if (each.status === 'rejected') throw each.reason
  }

  #ask(name: string, query: FrontQuery, deadlineMs: number): Promise<unknown> {
    return this.#tools.supervisor().ask(name, 'front', query, deadlineMs)
  }
}
