import assert from 'node:assert/strict'
import { join } from 'node:path'
import type { Dispatch, MessageDispatch, Page } from '../../../src/domain/delivery/dispatch.ts'
import type { Draft, Overrides } from '../../../src/domain/incident.ts'
import { openGroupOf } from '../../../src/policy/bundles/group.ts'
import { openDefaultDecide } from '../../../src/policy/default.ts'
import type { Turn } from '../../../src/store/ports/turn.ts'
import type { StoreOptions } from '../../../src/store/store-options.ts'
import { type Engine, type Opened, POSTGRES, SQLITE } from '../contract/engine.ts'
import { ON_FILES } from '../database.ts'
import { compileForTests, silenceOf } from '../noise/silences/rig.ts'
import { wordsOf } from '../outbox/subject.ts'
import { entryOf, freshDir, roomAt, START, settlement, turn, verdictOf } from '../support.ts'

export const MINUTE = 60_000
export const HOUR = 60 * MINUTE
export const CHANNELS = ['chatws', 'email'] as const
export const EVERYWHERE = roomAt(...CHANNELS, 'oncall')
export const WAIT = 2 * MINUTE
const ENGINE: Engine = 'skip' in ON_FILES ? POSTGRES : SQLITE

/** The parts of the configuration that a reload changes. */
export interface Rules {
  readonly storms: boolean
  readonly repeats: 'each' | 'fold'
  readonly flapping: boolean
  /** Incidents of one service are a group. */
  readonly groups: boolean
  readonly oncall: boolean
  /** Newest finished incidents that retention keeps. */
  readonly keep: number
}
export const PLAIN: Rules = {
  storms: false,
  repeats: 'each',
  flapping: false,
  groups: false,
  oncall: true,
  keep: 1_000,
}

const GROUP = { by: ['service'], intervalMs: 5 * MINUTE }
const groupOf = openGroupOf(() => [])
/** Key of the group of a service. */
export const groupKeyOf = (service: string): string => {
  const subject = { ...draftOf(0, START), service }
  return groupOf(subject, { rule: '', ...GROUP })?.key ?? ''
}

/** A rate at which three messages are a storm. */
const SLOW = { perSecond: 0.2, burst: 1 }

function optionsOf({
  storms,
  repeats,
  flapping,
  groups,
  oncall: pages,
  keep,
}: Rules): Omit<StoreOptions, 'dataDir' | 'now'> {
  const oncall = { enable: pages, waitMs: WAIT, provider: 'webhook' } as const
  const limits = { enable: storms, rate: SLOW, reading: SLOW, withinMs: MINUTE }
  return {
    channels: CHANNELS,
    threadedChannels: ['chatws'],
    maxBacklog: 10_000,
    maxIncidents: keep,
    oncall,
    ...(groups && { decide: openDefaultDecide({ channels: CHANNELS, group: GROUP, oncall }), groupOf }),
    storms: { chatws: { ...limits, edits: true }, email: { ...limits, edits: false } },
    repeats: { mode: repeats, remindMs: 4 * HOUR },
    flapping: { enable: flapping },
    fallbacks: { destinations: { chatws: { channel: 'email', target: 'backup' } }, afterMs: 2 * MINUTE },
    silences: { compile: compileForTests, configured: [] },
  }
}

/** An incident of the journal. */
export interface Committed extends Draft {
  readonly number: number
  readonly overrides: Overrides | undefined
  readonly committedAt: number
}

export type Outcome = 'sent' | 'dead' | 'pending' | 'released' | 'gone'

/** The store, the journal before it, and the senders behind it: all that a crash of the process leaves. */
export class World {
  now = START
  opened: Opened
  rules: Rules
  /** By number, from 1 on. */
  readonly journal: Committed[] = []
  readonly byId = new Map<string, Committed>()
  /** Dispatches of this life that are not settled. */
  readonly held = new Map<string, Dispatch>()
  /** Keys whose message may have arrived, because its sender died with it. */
  readonly maybe = new Set<string>()
  /** Keys that a provider confirmed, as the store was told. */
  readonly confirmed = new Set<string>()
  /** Messages and edits that a provider refused for good. */
  refused = 0
  /** Incidents that a person sent again. */
  readonly again = new Set<string>()
  /** All that was handed out, in order. */
  readonly handedOut: Dispatch[] = []
  /** Silences by number, with the service that they hold. */
  readonly silences = new Map<number, { readonly service: string; readonly endsAt: number; isOver: boolean }>()
  /** The last end of a silence by service. */
  readonly silenceEndedAt = new Map<string, number>()
  /** What the provider of on-call has heard: the last signal by fingerprint and target. */
  readonly pager = new Map<string, Page['signal'] | 'trigger?'>()
  /** Called with what the senders get. */
  watch: (one: Dispatch) => void = () => {}
  readonly #root: string
  readonly #cleaning: (() => void)[] = []
  #lives = 0

  constructor(rules: Rules) {
    this.#root = freshDir({ after: (clean) => this.#cleaning.push(clean) })
    this.rules = rules
    this.opened = this.#open()
  }

  get store() {
    return this.opened.store
  }

  clean(): void {
    this.store.close()
    for (const clean of this.#cleaning.toReversed()) clean()
  }

  /** Begins another life of the process with other rules. */
  reload(changes: Partial<Rules> = {}): void {
    this.store.close()
    this.rules = { ...this.rules, ...changes }
    this.opened = this.#open()
    this.lose()
  }

  /** Runs `work` with a crash at its nth statement, and begins another life; returns whether the work was done before. */
  crashAt(statement: number, work: () => void, done: () => void): boolean {
    this.#lives++
    let isDone = true
    try {
      this.opened.crashAt(statement, this.#dir(), work)
    } catch (error) {
      // Reads throw the errors of the engine.
      const { code, errcode } = error as { code?: string; errcode?: number }
      assert(code === 'storage_down' || errcode !== undefined, String(error))
      isDone = false
    }
    this.opened = this.#open()
    if (isDone) done()
    this.lose()
    return isDone
  }

  #dir = () => join(this.#root, String(this.#lives))
  #open = () => ENGINE.open({ ...optionsOf(this.rules), dataDir: this.#dir(), now: () => this.now })

  /** The senders died: what they hold may have arrived. */
  lose(): void {
    for (const one of this.held.values()) {
      this.maybe.add(messageOf(one))
      if (one.kind === 'page' && one.signal === 'trigger') this.#heard(one, 'trigger?')
    }
    this.held.clear()
  }

  /** Adds incidents to the journal; the next turn applies them. */
  commit(drafts: readonly Partial<Draft>[], overrides?: Overrides): Committed[] {
    return drafts.map((changes) => {
      const number = this.journal.length + 1
      const one: Committed = { ...draftOf(number, this.now), ...changes, number, overrides, committedAt: this.now }
      this.journal.push(one)
      this.byId.set(one.id, one)
      return one
    })
  }

  /** Runs a turn that applies all that the journal has beyond what is applied. */
  turn(changes: Partial<Turn> = {}) {
    const first = this.store.journal.progress().applied + 1
    const entries = this.journal.slice(first - 1).map(({ overrides, committedAt, number, ...draft }) => {
      const submission = { drafts: [draft], ...(overrides && { overrides }) }
      return entryOf(number, [submission], committedAt)
    })
    const result = turn(this.store, { entries, ...changes })
    for (const [id, { endsAt }] of this.silences) if (endsAt <= this.now) this.silenceIsOver(id)
    return result
  }

  /** The senders get what a turn handed out. */
  hold(dispatches: readonly Dispatch[]): void {
    for (const one of dispatches) {
      const words = wordsOf(one)
      assert(!this.held.has(words), `${words} is with two senders`)
      this.held.set(words, one)
      this.handedOut.push(one)
      this.watch(one)
    }
  }

  settlementOf(one: Dispatch, how: Outcome, afterMs = 0) {
    const at = this.now + afterMs
    const changes = { mayDuplicate: false, startedAt: this.now }
    if (how === 'gone') return settlement(one, { state: 'pending', at }, { ...changes, outcome: 'gone' })
    const messageId = `m${this.handedOut.length} ${wordsOf(one)}`
    return settlement(one, verdictOf(how, at), how === 'sent' ? { ...changes, messageId } : changes)
  }

  /** The senders know that the store took their settlements. */
  settled(one: Dispatch, how: Outcome): void {
    this.held.delete(wordsOf(one))
    if (how === 'dead' || how === 'gone') this.refused++
    // The provider refused to hear of the end.
    if (how === 'dead' && one.kind === 'page' && one.signal === 'resolve') this.pager.delete(pagerKey(one))
    if (how === 'sent') {
      this.confirmed.add(messageOf(one))
      this.maybe.delete(messageOf(one))
      if (one.kind === 'page') this.#heard(one, one.signal)
    }
  }

  /** Hands out what is due, and confirms it, until nothing is due now. */
  deliver(): MessageDispatch[] {
    const all: MessageDispatch[] = []
    for (let turns = 0; turns < 100; turns++) {
      const { dispatches } = this.turn({ capacity: EVERYWHERE })
      if (dispatches.length === 0) return all
      this.hold(dispatches)
      this.turn({ settlements: dispatches.map((one) => this.settlementOf(one, 'sent')) })
      for (const one of dispatches) this.settled(one, 'sent')
      all.push(...dispatches.filter((one) => one.destination !== 'oncall'))
    }
    throw new Error('dispatches do not end')
  }

  addSilence(service: string, forMs: number): void {
    const conditions = [{ field: 'service', values: [service], where: '' }]
    const endsAt = this.now + forMs
    const { silence } = this.store.silences.add(silenceOf({ conditions, startsAt: this.now, endsAt }), true)
    this.silences.set(silence.id, { service, endsAt, isOver: false })
  }

  silenceIsOver(id: number): void {
    const one = this.silences.get(id)
    if (one === undefined || one.isOver) return
    one.isOver = true
    this.silenceEndedAt.set(one.service, this.now)
  }

  /** Sets the clock. */
  setClock(byMs: number): void {
    this.now += byMs
    const ended = [...this.silenceEndedAt]
    try {
      this.turn({ clockJumpMs: byMs })
    } catch (error) {
      this.now -= byMs
      throw error
    }
    // But for those that the turn itself ended.
    for (const [service, at] of ended)
      if (this.silenceEndedAt.get(service) === at) this.silenceEndedAt.set(service, at + byMs)
  }

  /** Time of the clock at which something happens without another event; Infinity: never. */
  nextAt(): number {
    const { outbox, problems } = this.store
    const dues = [...CHANNELS, 'oncall', 'any'] as const
    return Math.min(problems.nextAt(), ...dues.map((to) => outbox.nextDueAt(to)))
  }

  #heard(page: Page, signal: Page['signal'] | 'trigger?'): void {
    const key = pagerKey(page)
    if (signal === 'trigger?' && this.pager.get(key) === 'trigger') return
    this.pager.set(key, signal)
  }
}

const pagerKey = ({ fingerprint, target = '' }: Page) => `${fingerprint} ${target}`

/** Words of the message or signal that a dispatch makes. */
export const messageOf = (one: Dispatch): string => `${wordsOf(one)}${one.kind === 'page' ? ` ${one.signal}` : ''}`

const draftOf = (number: number, now: number): Draft => ({
  id: `01930000-0000-7000-8000-${String(number).padStart(12, '0')}`,
  source: 'webhook',
  sender: 'error_tracker',
  createdAt: now - 5,
  title: `incident ${number}`,
  service: 'web',
  severity: 'critical',
  status: 'firing',
  fingerprint: `f${number}`,
  content: Buffer.from(`{"n":${number}}`),
})
