import type { TestContext } from 'node:test'
import type { Rate } from '../../src/channels/channel.ts'
import { CHANNELS } from '../../src/channels/index.ts'
import type { ChannelName } from '../../src/domain/delivery/delivery.ts'
import type { Draft } from '../../src/domain/incident.ts'
import { folder } from '../harness/config-file.ts'
import { ManualClock } from '../harness/manual-clock.ts'
import { type AlertStream, alertAt } from '../harness/noise/alerts.ts'
import type { Limit } from '../harness/stand-ins/limit.ts'
import { draft, START } from '../store/support.ts'
import { ProviderByHand } from './provider-by-hand.ts'
import { ServiceByHand } from './service-by-hand.ts'

interface RigOptions {
  readonly channel: ChannelName
  /** Rate of the channel and of its readers; absent: the defaults of the channel. */
  readonly rate?: Rate
  /** Limit of the provider; absent: none. */
  readonly limit?: Limit
}

interface Stream extends AlertStream {
  readonly seconds: number
}

interface Arrival {
  /** Time of the clock's `elapsed`. */
  readonly atMs: number
  readonly from: number
  readonly to: number
  readonly stream: AlertStream
}

const ARRAYS_PER_SECOND = 5

/** A service with one channel and its provider, on a clock that runs as fast as they work. */
export class StormRig {
  readonly clock = new ManualClock(START)
  readonly provider: ProviderByHand
  /** Alerts that were committed. */
  posted = 0
  readonly #dir = folder()
  readonly #options: RigOptions
  #service: ServiceByHand
  #lives = 0
  #arrivals: readonly Arrival[] = []

  constructor(t: TestContext, options: RigOptions, storms: 'on' | 'off' = 'on') {
    this.#options = options
    const { limit, channel } = options
    this.provider = new ProviderByHand({ clock: this.clock, limit, edits: CHANNELS[channel].edits === true })
    this.#service = this.#start(storms)
    t.after(() => this.#service.end())
  }

  /** Lets alerts arrive evenly from now on, in five arrays a second at most. */
  arrive(stream: Stream): void {
    const { count, seconds } = stream
    const arrays = Math.max(1, Math.min(count, seconds * ARRAYS_PER_SECOND))
    const beganMs = this.clock.elapsed()
    this.#arrivals = Array.from({ length: arrays }, (_, nth) => ({
      atMs: beganMs + (nth * seconds * 1_000) / arrays,
      from: Math.floor((nth * count) / arrays),
      to: Math.floor(((nth + 1) * count) / arrays),
      stream,
    }))
  }

  /** Lets time pass until `done`, at most `seconds`. */
  async run(seconds: number, done: () => boolean = () => false): Promise<void> {
    const endMs = this.clock.elapsed() + seconds * 1_000
    await this.#service.work(this.#arrived())
    while (!done() && this.clock.elapsed() < endMs) {
      this.clock.advance(Math.min(endMs, this.#nextMs()) - this.clock.elapsed())
      await this.#service.work(this.#arrived())
    }
  }

  /** All alerts have arrived, and the provider has told of each. */
  get isTold(): boolean {
    return this.#arrivals.length === 0 && this.provider.account.told >= this.posted
  }

  /** Kills the service and starts it again. */
  restart(storms: 'on' | 'off' = 'on'): void {
    this.#lives++
    this.#service.end()
    this.#service = this.#start(storms)
  }

  /** The ledger of the service. */
  get ledger(): Pick<ServiceByHand, 'told' | 'flagged' | 'revisions'> {
    return this.#service
  }

  #start(storms: 'on' | 'off'): ServiceByHand {
    const life = this.#lives
    const channel = this.provider.channel(() => this.#lives !== life)
    const { channel: name, rate } = this.#options
    return new ServiceByHand({ dir: this.#dir, clock: this.clock, channels: [{ name, rate, channel }], storms })
  }

  #nextMs(): number {
    const timerMs = this.clock.elapsed() + (this.clock.dueInMs[0] ?? Infinity)
    return Math.min(timerMs, this.#arrivals[0]?.atMs ?? Infinity, this.#service.nextMs())
  }

  #arrived(): Draft[] {
    const due = this.#arrivals.filter(({ atMs }) => atMs <= this.clock.elapsed())
    this.#arrivals = this.#arrivals.slice(due.length)
    const drafts = due.flatMap(({ from, to, stream }) =>
      Array.from({ length: to - from }, (_, at) => this.#draft(alertAt(from + at, stream))),
    )
    this.posted += drafts.length
    return drafts
  }

  #draft(alert: ReturnType<typeof alertAt>): Draft {
    const { title, ServiceName: service, severity } = alert
    const content = Buffer.from(JSON.stringify(alert))
    const fingerprint = `custom:${service}: ${title}`
    return draft({ title, service, severity, content, fingerprint, createdAt: this.clock.now() })
  }
}
