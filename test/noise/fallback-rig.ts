import type { TestContext } from 'node:test'
import type { FallbackRules } from '../../src/store/noise/fallbacks.ts'
import { folder } from '../harness/config-file.ts'
import { ManualClock } from '../harness/manual-clock.ts'
import { type AlertStream, alertAt } from '../harness/noise/alerts.ts'
import { draft, START } from '../store/support.ts'
import { ProviderByHand } from './provider-by-hand.ts'
import { ServiceByHand } from './service-by-hand.ts'

const FALLBACKS: FallbackRules = { destinations: { chatws: { channel: 'email' } }, afterMs: 120_000 }

/** A service with a chat whose incidents go by mail when it fails; every alert is routed to the chat alone. */
export class FallbackRig {
  readonly clock = new ManualClock(START)
  readonly chat = new ProviderByHand({ clock: this.clock, limit: undefined, edits: true })
  readonly mail = new ProviderByHand({ clock: this.clock, limit: undefined, edits: false })
  service: ServiceByHand
  readonly #dir = folder()
  #lives = 0
  #posted = 0

  constructor(t: TestContext) {
    this.service = this.#start()
    t.after(() => this.service.end())
  }

  /** Lets all alerts arrive in one second. */
  async arrive(stream: AlertStream): Promise<void> {
    for (let part = 0; part < 5; part++) {
      const size = stream.count / 5
      const drafts = Array.from({ length: size }, (_, at) => {
        const alert = alertAt(part * size + at, stream)
        const { title, ServiceName: service, severity } = alert
        const content = Buffer.from(JSON.stringify(alert))
        return draft({
          title,
          service,
          severity,
          content,
          fingerprint: `custom:${service}: ${title}`,
          createdAt: this.clock.now(),
        })
      })
      this.#posted += size
      await this.service.work(drafts)
      await this.run(0.2)
    }
  }

  /** Lets time pass until `done`, at most `seconds`. */
  async run(seconds: number, done: () => boolean = () => false): Promise<void> {
    const endMs = this.clock.elapsed() + seconds * 1_000
    while (!done() && this.clock.elapsed() < endMs) {
      const timerMs = this.clock.elapsed() + (this.clock.dueInMs[0] ?? Infinity)
      this.clock.advance(Math.min(endMs, timerMs, this.service.nextMs()) - this.clock.elapsed())
      await this.service.work()
    }
  }

  /** Kills the service and starts it again. */
  restart(): void {
    this.#lives++
    this.service.end()
    this.service = this.#start()
  }

  /** Every alert was told by mail. */
  get isTold(): boolean {
    return this.mail.account.told >= this.#posted
  }

  /** Times of the mails that are about one critical alert alone, in milliseconds from the start. */
  get criticalMailsMs(): readonly number[] {
    return this.mail.taken
      .filter(({ text }) => text.startsWith('{') && text.includes('"critical"'))
      .map(({ atMs }) => atMs)
  }

  #start(): ServiceByHand {
    const life = this.#lives
    const hasEnded = () => this.#lives !== life
    return new ServiceByHand({
      dir: this.#dir,
      clock: this.clock,
      channels: [
        { name: 'chatws', channel: this.chat.channel(hasEnded) },
        { name: 'email', channel: this.mail.channel(hasEnded) },
      ],
      decide: ({ severity }) => ({
        destinations: [{ channel: 'chatws' }],
        priority: severity === 'critical' ? 'high' : 'normal',
        rules: [],
      }),
      fallbacks: FALLBACKS,
      storms: 'on',
    })
  }
}
