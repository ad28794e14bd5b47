import { type StormLimits, type StormParameters, stormParameters } from '../../src/policy/bundles/storm-parameters.ts'
import { type StormEffect, StormMachine } from '../policy/storm-machine.ts'
import { type Job, Limiter, type Single } from './simulated-limiter.ts'
import { type Alert, Report } from './simulation-report.ts'

/** One alert that arrives; `at` in milliseconds since the start. */
export interface Arrival {
  readonly at: number
  readonly problem: number
  readonly priority: 'high' | 'normal' | 'low'
  readonly status: 'firing' | 'resolved'
}

interface Scenario {
  readonly settings: StormLimits
  /** In the order of time. */
  readonly arrivals: Iterable<Arrival>
  readonly random: () => number
  /** The provider answers within this time, uniformly. */
  readonly answerMs: readonly [from: number, to: number]
}

const CONCURRENCY = 4
const KNOWN_FOR_MS = 600_000

/** Runs a scenario with a simulated clock until nothing is left to send. Throws when it does not end. */
export function run(scenario: Scenario): Report {
  return new Destination(scenario).run()
}

class Destination {
  readonly #scenario: Scenario
  readonly #parameters: StormParameters
  readonly #limiter: Limiter
  readonly #machine: StormMachine
  #now = 0
  /** Singles that no sender has. */
  readonly #pending: Single[] = []
  #handedNormals = 0
  #singlesUnfinished = 0
  #urgentsUnfinished = 0
  #underWay: { readonly endsAt: number; readonly job: Job }[] = []
  readonly #places: Alert[] = []
  #toldPlaces = 0
  /** The latest single of each problem, and the problems that the open digest knows. */
  readonly #lastSingle = new Map<number, number>()
  readonly #known = new Set<number>()
  readonly #report = new Report()

  constructor(scenario: Scenario) {
    const parameters = stormParameters(scenario.settings)
    if (parameters === undefined) throw new Error('the reading rate is that of a machine')
    this.#scenario = scenario
    this.#parameters = parameters
    this.#limiter = new Limiter(scenario.settings.rate)
    this.#machine = new StormMachine(parameters, 0)
  }

  run(): Report {
    const arrivals = this.#scenario.arrivals[Symbol.iterator]()
    let next = arrivals.next()
    for (let events = 0; ; events++) {
      if (events > 50_000_000) throw new Error('the simulation does not end')
      this.#handOut()
      const at = Math.min(next.done ? Infinity : next.value.at, this.#wakeAt())
      if (at === Infinity) break
      this.#now = Math.max(this.#now, at)
      if (!next.done && next.value.at <= this.#now) {
        this.#arrive(next.value)
        next = arrivals.next()
      } else this.#serve()
    }
    return this.#report
  }

  #wakeAt(): number {
    const slot = this.#underWay.length < CONCURRENCY
    const limiter = slot ? this.#limiter.readyAt(this.#now, this.#reserved()) : Infinity
    const settled = Math.min(Infinity, ...this.#underWay.map(({ endsAt }) => endsAt))
    const handed = this.#pending.some(this.#canHandOut) ? this.#now : Infinity
    const folded = Math.min(Infinity, ...this.#pending.map((single) => this.#foldAt(single)))
    return Math.min(limiter, settled, handed, folded, this.#machine.nextAt(this.#unfinished()))
  }

  #reserved(): number {
    return this.#storm === undefined ? 0 : this.#parameters.reservedTokens
  }

  #unfinished() {
    return { singles: this.#singlesUnfinished, urgents: this.#urgentsUnfinished }
  }

  get #storm() {
    return this.#machine.state.storm
  }

  #arrive(alert: Arrival): void {
    this.#report.arrived++
    const { problem, priority, status, at } = alert
    const toldRecently = (this.#lastSingle.get(problem) ?? -Infinity) > (this.#storm?.openedAt ?? at) - KNOWN_FOR_MS
    const first = !toldRecently && !this.#known.has(problem)
    const answersSingle = status === 'resolved' && this.#lastSingle.has(problem)
    const urgent = priority === 'high' && status === 'firing' && first
    const isBounded = this.#storm !== undefined && !this.#inLastingFlood()
    const place = { at, urgent, isBounded }
    const facts = { status, priority, isNews: first, answersSingle }
    const effects: readonly StormEffect[] = this.#machine.arrive(facts, this.#unfinished(), this.#now, at)
    for (const effect of effects) {
      if (effect.kind === 'open') this.#open(effect.keep)
      else if (effect.kind === 'single') this.#addSingle({ ...place, rank: effect.rank }, problem)
      else if (effect.kind === 'fold') this.#fold(place)
    }
    this.#known.add(problem)
  }

  /** True when the message before was posted because it was urgent, or is about to be: the next one waits longer. */
  #inLastingFlood(): boolean {
    const { digest } = this.#machine
    return digest !== undefined && (digest.sending?.urgent === true || digest.gapMs > this.#parameters.urgentGapMs)
  }

  #addSingle(single: Single, problem: number): void {
    this.#pending.push(single)
    this.#report.singles++
    this.#singlesUnfinished++
    if (single.urgent) this.#urgentsUnfinished++
    this.#lastSingle.set(problem, this.#now)
  }

  #fold(place: Alert): void {
    this.#places.push(place)
    this.#report.folded++
  }

  #open(keep: number): void {
    this.#known.clear()
    this.#places.length = 0
    this.#toldPlaces = 0
    this.#absorb(this.#pending.filter(({ urgent }) => !urgent).slice(keep))
  }

  #absorb(singles: readonly Single[]): void {
    if (singles.length === 0) return
    for (const single of singles) {
      this.#pending.splice(this.#pending.indexOf(single), 1)
      this.#report.singles--
      this.#singlesUnfinished--
      if (single.urgent) this.#urgentsUnfinished--
      this.#fold(single)
    }
    const urgent = singles.some((single) => single.urgent)
    this.#machine.place(singles.length, urgent, this.#now)
  }

  /** Gives the sender what it has room for. */
  #handOut(): void {
    for (const single of this.#pending.filter(this.#canHandOut)) {
      if (!this.#canHandOut(single)) continue
      this.#pending.splice(this.#pending.indexOf(single), 1)
      if (!single.urgent) this.#handedNormals++
      this.#limiter[single.urgent ? 'urgent' : 'normal'].push({ single, urgent: single.urgent })
    }
    if (this.#storm) this.#absorb(this.#pending.filter((single) => this.#foldAt(single) <= this.#now))
    if (this.#machine.nextAt(this.#unfinished()) > this.#now) return
    for (const effect of this.#machine.claim(this.#unfinished(), this.#now))
      if (effect.kind === 'hand out') this.#limiter.digest.push({ revision: effect, urgent: effect.urgent })
  }

  #foldAt({ at, urgent }: Single): number {
    return this.#storm && !urgent ? at + this.#parameters.foldAfterMs : Infinity
  }

  readonly #canHandOut = ({ urgent }: Single): boolean => {
    const { calm, storm } = this.#parameters.maxHanded
    return urgent || this.#handedNormals < (this.#storm ? storm : calm)
  }

  /** Ends one attempt, or begins one. */
  #serve(): void {
    const ended = this.#underWay.find(({ endsAt }) => endsAt <= this.#now)
    if (ended !== undefined) {
      this.#underWay = this.#underWay.filter((each) => each !== ended)
      return this.#taken(ended.job)
    }
    if (this.#underWay.length >= CONCURRENCY) return
    const job = this.#limiter.take(this.#now, this.#reserved())
    if (job === undefined) return
    const { random, answerMs } = this.#scenario
    const [from, to] = answerMs
    this.#underWay.push({ job, endsAt: this.#now + from + random() * (to - from) })
  }

  #taken({ single, revision }: Job): void {
    if (single) {
      if (!single.urgent) this.#handedNormals--
      else this.#urgentsUnfinished--
      this.#singlesUnfinished--
      this.#told(single)
    }
    if (revision)
      for (const effect of this.#machine.settle({ state: 'told' }, this.#now)) {
        if (effect.kind !== 'told') continue
        for (; this.#toldPlaces < effect.through; this.#toldPlaces++) this.#told(this.#places[this.#toldPlaces])
      }
  }

  #told(alert: Alert | undefined): void {
    if (alert === undefined) throw new Error('a place was told that was not given')
    this.#report.take(alert, this.#now)
  }
}
