import type { SenderMail } from '../../actors/messages/mailboxes.ts'
import type { Deliver, Settle } from '../../actors/messages/storage-send.ts'
import { senderActor } from '../../actors/send/sender.ts'
import { channelTransport } from '../../actors/send/transport.ts'
import { createDispatcher } from '../../actors/store/dispatcher.ts'
import { PAUSE_MS } from '../../actors/store/storage.ts'
import type { Channel, Rate } from '../../src/channels/channel.ts'
import { createDestinationThrottle } from '../../src/channels/destination/throttle.ts'
import { CHANNELS } from '../../src/channels/index.ts'
import type { ChannelName } from '../../src/domain/delivery/delivery.ts'
import type { MessageDispatch } from '../../src/domain/delivery/dispatch.ts'
import type { Draft } from '../../src/domain/incident.ts'
import { Cell } from '../../src/kernel/cell.ts'
import { Mailbox } from '../../src/kernel/mailbox.ts'
import { nearRef } from '../../src/kernel/ref.ts'
import type { Decide } from '../../src/policy/decision.ts'
import { noticeText } from '../../src/render/text/notice-text.ts'
import type { RepeatRules } from '../../src/store/bundles/rules.ts'
import { CHANNEL_CODE, stateName } from '../../src/store/engine/column-codes.ts'
import { openDatabase } from '../../src/store/engine/database.ts'
import type { FallbackRules } from '../../src/store/noise/fallbacks.ts'
import type { StormRules } from '../../src/store/noise/rules.ts'
import type { FlapRules } from '../../src/store/problems/flapping.ts'
import { openStore, type Store } from '../../src/store/store.ts'
import type { ManualClock } from '../harness/manual-clock.ts'
import { type Told, toldTimes } from '../harness/noise/told-times.ts'
import { manualScheduler } from '../kernel/support/by-hand.ts'
import { entriesFor } from '../store/support.ts'

interface ChannelByHand {
  readonly name: ChannelName
  readonly channel: Channel
  /** Undefined: the defaults of the channel. */
  readonly rate?: Rate | undefined
}

interface ServiceOptions {
  readonly dir: string
  readonly clock: ManualClock
  readonly channels: readonly ChannelByHand[]
  readonly storms: 'on' | 'off'
  readonly fallbacks?: FallbackRules
  /** Absent: every repeat is a message. */
  readonly repeats?: RepeatRules
  readonly flapping?: FlapRules
  /** Absent: every alert goes to all channels. */
  readonly decide?: Decide
}

/** Defaults of `delivery` and of a channel's `mailbox`. */
const POLICY = { attempts: 12, initialMs: 1_000, maxMs: 300_000 }
const CIRCUIT = { failures: 5, openForMs: 30_000 }
const TIMEOUT_MS = 10_000
/** Default of `noise.storm.within`. */
const WITHIN_MS = 60_000
const PLACES = 1_024
const MAX_IN_FLIGHT_BYTES = 16 * 1024 * 1024

/** One life of a service: a real store and a real sender for each channel, which work when the test says so. */
export class ServiceByHand {
  readonly #options: ServiceOptions
  readonly #db
  readonly #store: Store
  readonly #settlements = new Mailbox<Settle>({ capacity: PLACES })
  readonly #scheduler = manualScheduler()
  readonly #dispatcher: ReturnType<typeof createDispatcher>

  constructor(options: ServiceOptions) {
    this.#options = options
    const { dir, clock, channels, fallbacks, repeats, flapping, decide } = options
    this.#db = openDatabase(dir)
    const limits = { channels: channels.map(({ name }) => name), maxIncidents: 1_000_000, maxBacklog: 100_000 }
    const storms = Object.fromEntries(channels.map((one) => [one.name, stormRulesOf(one, options.storms)]))
    const rules = {
      ...{ storms, ...(fallbacks && { fallbacks }), ...(repeats && { repeats }), ...(flapping && { flapping }) },
      ...(decide && { decide }),
    }
    this.#store = openStore({ dataDir: dir, ...limits, ...rules, now: () => clock.now() }, this.#db)
    this.#dispatcher = createDispatcher(this.#store.outbox, {
      senders: new Map(
        channels.map((one) => {
          const { mailbox } = this.#startSender(one)
          return [one.name, nearRef<Deliver>(one.name, mailbox as Mailbox<never>, PLACES)]
        }),
      ),
      maxInFlightBytes: MAX_IN_FLIGHT_BYTES,
      mayDispatch: () => true,
      noticesStuck() {},
    })
  }

  /** Commits these incidents, and does all that there is to do at this time. */
  async work(drafts: readonly Draft[] = []): Promise<void> {
    this.#turn(drafts)
    do {
      this.#scheduler.passAll()
      await new Promise(setImmediate)
      if (this.#settlements.occupied > 0) this.#turn([])
    } while (this.#scheduler.scheduled() > 0)
  }

  /** Returns when there is something to do without a timer, in the clock's `elapsed`; Infinity: never. */
  nextMs(): number {
    const { clock } = this.#options
    const now = clock.elapsed()
    return Math.max(now + PAUSE_MS, this.#dispatcher.nextDueAt() - clock.now() + now)
  }

  told(): readonly Told[] {
    return toldTimes(this.#db)
  }

  /** Deliveries of a channel, by state. */
  states(name: ChannelName): { readonly [state: string]: unknown } {
    const rows = this.#db
      .prepare('SELECT state, count(*) AS n FROM dispatches WHERE kind = 0 AND destination = ? GROUP BY state')
      .all(CHANNEL_CODE[name])
    return Object.fromEntries(rows.map(({ state, n }) => [stateName(Number(state)), n]))
  }

  /** Numbers of the alerts whose own message may have come twice; from 0, in the order of their commits. */
  flagged(): ReadonlySet<number> {
    const rows = this.#db.prepare('SELECT incident FROM dispatches WHERE kind = 0 AND may_duplicate = 1').all()
    return new Set(rows.map(({ incident }) => Number(incident) - 1))
  }

  /** Revisions that were told, with the number of places up to each. */
  revisions(): readonly { readonly digest: number; readonly revision: number; readonly through: number }[] {
    const rows = this.#db.prepare('SELECT bundle AS digest, number AS revision, through FROM revisions').all()
    return rows as unknown as ReturnType<ServiceByHand['revisions']>
  }

  /** Ends as a killed process does: what was leased stays leased. */
  end(): void {
    this.#store.close()
  }

  #turn(drafts: readonly Draft[]): void {
    const { clock } = this.#options
    const { messages, slots } = this.#settlements.take(PLACES)
    for (const slot of slots) slot.free()
    const settlements = messages.map(({ settlement }) => settlement)
    this.#dispatcher.release(settlements, false)
    const entries = drafts.length === 0 ? [] : entriesFor(this.#store, [{ drafts }], clock.now())
    const capacity = this.#dispatcher.capacity()
    const { dispatches } = this.#store.turn({ settlements, sendersLost: false, clockJumpMs: 0, entries, capacity })
    this.#dispatcher.send(dispatches)
  }

  #startSender({ channel, name, rate }: ChannelByHand): Cell<SenderMail<MessageDispatch>> {
    const { clock } = this.#options
    const { defaults, text: rules } = CHANNELS[name]
    const transport = channelTransport({
      channel,
      agentTemplate: '',
      ackUrl: () => undefined,
      render: async (items) =>
        items.map(({ notice, content, lastLine = '' }) => ({
          ...(notice
            ? noticeText(notice, rules, { publicHost: '' })
            : { text: `${Buffer.from(content).toString()}${lastLine}` }),
          renderMs: 0,
        })),
    })
    const build = () =>
      senderActor({
        transport,
        storage: nearRef('storage', this.#settlements, PLACES),
        throttle: createDestinationThrottle({ rate: rate ?? defaults.rate, circuit: CIRCUIT }, clock),
        policy: POLICY,
        concurrency: defaults.concurrency,
        timeoutMs: TIMEOUT_MS,
        drainMs: 0,
        clock,
        mayBegin: () => true,
        random: () => 0.5,
        attempted() {},
        failed,
      })
    const spec = { name: 'sender', batch: 256, slots: 'held', mailbox: { capacity: PLACES }, build } as const
    const report = { failed: (_: string, error: unknown) => failed(error), deadLetter() {} }
    return new Cell(spec, { clock, scheduler: this.#scheduler.scheduler, report })
  }
}

function stormRulesOf({ name, rate }: ChannelByHand, storms: 'on' | 'off'): StormRules {
  const { edits = false, defaults } = CHANNELS[name]
  const { rate: reading = defaults.rate, withinMs = WITHIN_MS } = defaults.storm ?? {}
  const paces = rate ? { rate, reading: rate } : { rate: defaults.rate, reading }
  return { enable: storms === 'on', ...paces, withinMs, edits }
}

function failed(error: unknown): never {
  throw error
}
