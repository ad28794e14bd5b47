import assert from 'node:assert/strict'
import type { DeliveryDetail } from '../../../src/api/delivery.ts'
import type { IncidentDetail } from '../../../src/api/incident.ts'
import type { DigestDetail, DigestPlace } from '../../../src/api/noise/digest.ts'
import { severityLevel, severityRank } from '../../../src/domain/severity.ts'
import { CHANNEL_CODE } from '../../../src/store/engine/column-codes.ts'
import { CHANNELS, type Committed, MINUTE, type World } from './world.ts'

/** All that the port shows. */
export function viewOf({ store }: World) {
  const { incidents, noise, problems, outbox, status, journal, silences } = store
  const stored = incidents.list({ limit: 500 }).incidents.map(({ id }) => incidents.detail(id) as IncidentDetail)
  const numbers = new Set(stored.flatMap(({ deliveries }) => deliveries.flatMap(({ via }) => via?.digest ?? [])))
  for (const { number } of noise.digests({ limit: 500 }).digests) numbers.add(number)
  const digests = [...numbers].sort((a, b) => a - b).map((number) => noise.digest(number) as DigestDetail)
  return {
    stored,
    digests,
    problems: problems.list({ limit: 500 }).problems,
    dueAt: ([...CHANNELS, 'oncall', 'any'] as const).map((to) => [to, outbox.nextDueAt(to)] as const),
    counters: { ...status.counters(), ...status.state().oncall },
    progress: { ...journal.progress(), released: 0 },
    silences: silences.list({ limit: 500 }).silences,
  }
}
type View = ReturnType<typeof viewOf>

/** I15: every deadline, which a clock that is set there and back does not change. */
export function deadlinesOf(world: World) {
  const { dueAt, problems, stored, digests } = viewOf(world)
  return {
    dueAt,
    problems: problems.map(({ ends_at }) => ends_at),
    pages: stored.map(({ oncall }) => oncall && [oncall.due_at, oncall.next_attempt_at]),
    deliveries: stored.map(({ deliveries }) => deliveries.map(({ next_attempt_at }) => next_attempt_at)),
    digests: digests.map(({ next_update_at }) => next_update_at),
  }
}

const placesOf = ({ store }: World, number: number): readonly DigestPlace[] =>
  store.noise.places({ number, limit: 500 })?.places ?? []

/** What earlier checks of a history saw, and a later one must not contradict. */
export class Witness {
  readonly #told = new Map<number, readonly [folded: number, told: number]>()
  readonly #places = new Map<string, string>()
  /** Loudness of the incidents of each fingerprint that a page was made for. */
  readonly #pages = new Map<string, Map<string, number>>()

  check(world: World): void {
    const view = viewOf(world)
    for (const incident of view.stored.toReversed()) this.#checkIncident(world, incident, view)
    this.#checkPages(world, view)
    for (const digest of view.digests) this.#checkDigest(world, digest, view)
    checkNumbers(world, view)
    const isSilent = [...world.silences.values()].every(({ isOver }) => isOver)
    if (world.rules.repeats === 'fold' && !world.rules.storms && isSilent) checkKnown(world, view)
  }

  #checkIncident(world: World, incident: IncidentDetail, view: View): void {
    const committed = world.byId.get(incident.id) as Committed
    const { deliveries, oncall } = incident
    // I1
    const names = deliveries.map(nameOf)
    assert.equal(new Set(names).size, names.length, `I1: two deliveries at one destination: ${names}`)
    const target = committed.overrides?.targets?.chatws
    const decided = [target ? `chatws:${target}` : 'chatws', 'email']
    const chosen = deliveries.filter(({ reason }) => reason === null).map(nameOf)
    assert.deepEqual(chosen.sort(), decided.sort(), 'I1: a delivery at each destination of the decision')
    // I3
    for (const one of deliveries) checkWaits(world, one, view)
    if (oncall?.next_signal && oncall.state !== 'held') {
      const isWithPager = [...world.held.values()].some((one) => one.kind === 'page')
      assert(isWithPager || dueAt(view, 'oncall') < Infinity, `I3: ${oncall.next_signal} waits for nothing`)
    }
  }

  #checkPages({ byId }: World, { stored }: View): void {
    const all = stored.flatMap(({ id, oncall }) => (oncall === null ? [] : [{ id, state: oncall.state }]))
    const factsOf = (id: string) => byId.get(id) as Committed
    for (const { id, state } of all)
      if (state !== 'joined') mapOf(this.#pages, factsOf(id).fingerprint).set(id, severityRank(factsOf(id).severity))
    for (const { id, state } of all) {
      if (state !== 'joined' || this.#joined.has(id)) continue
      this.#joined.add(id)
      const loudest = Math.min(...mapOf(this.#pages, factsOf(id).fingerprint).values())
      assert(severityRank(factsOf(id).severity) >= loudest, `I7: ${id} joins pages that it is louder than`)
    }
  }
  readonly #joined = new Set<string>()

  #checkDigest(world: World, digest: DigestDetail, view: View): void {
    const { number, incidents: folded, notified: told, state, kind, problem_list: kinds } = digest
    const [before, toldBefore] = this.#told.get(number) ?? [0, 0]
    assert(
      told <= folded && folded >= before && told >= toldBefore,
      `I2: ${told} of ${folded} after ${toldBefore} of ${before}`,
    )
    this.#told.set(number, [folded, told])
    const places = placesOf(world, number)
    assert.equal(new Set(places.map(({ place }) => place)).size, places.length, 'I2: one place is given twice')
    for (const { place, incident_id } of places) {
      const key = `${number}·${place}`
      assert.equal(this.#places.get(key) ?? incident_id, incident_id, 'I2: a place changes its incident')
      this.#places.set(key, incident_id)
      if (kind === 'storm') checkRings(world, world.byId.get(incident_id) as Committed, { digest, place })
    }
    if (kind === 'group' && digest.channel === 'chatws') this.#checkPosts(world, digest)
    if (kind === 'storm' && kinds.length < 1_000) {
      const sum = kinds.reduce((all, one) => all + one.firing + one.resolved, 0)
      assert.equal(sum, folded, `I9: the places of the problems of ${number} are not those of the digest`)
      assert.equal(
        kinds.reduce((all, one) => all + one.by_message, 0),
        digest.by_message,
        'I9: singles',
      )
    }
    if (state !== 'open') return
    const untold = places.filter(({ place }) => place > told).map(({ place }) => place)
    assert.deepEqual(untold, range(told + 1, folded), `I2: untold places of digest ${number}`)
    if (told === folded) return
    // An edit that is with its sender may arrive later than the next one.
    const isSending = [...world.held.values()].some(
      (one) => ['digest', 'edit', 'follow-up'].includes(one.kind) && one.destination === digest.channel,
    )
    const isAnswered =
      (kind === 'repeats' || kind === 'group') &&
      view.stored.some(({ reported_status }) => reported_status === 'resolved')
    assert(isSending || isAnswered || digest.next_update_at !== null, `I3: digest ${number} waits for nothing`)
    if (digest.next_update_at !== null && !isSending)
      assert(Math.min(dueAt(view, digest.channel), dueAt(view, 'any')) < Infinity, `I3: digest ${number} is not due`)
  }

  /** I17: where its message can be edited and is there, a group posts what is urgent, and its end. */
  #checkPosts({ byId, refused }: World, { number, incidents: folded, updates }: DigestDetail): void {
    const posts = updates.filter(({ way }) => way === 'post').length
    const placed = range(1, folded).flatMap((place) => byId.get(this.#places.get(`${number}·${place}`) ?? '') ?? [])
    const urgent = placed.filter(({ severity, status }) => severity === 'critical' && status === 'firing').length
    assert(posts <= urgent + 1 + refused, `I17: digest ${number} has ${posts} posts`)
  }
}

/** I8: urgent news is told by a post. */
function checkRings(
  { journal }: World,
  alert: Committed,
  { digest, place }: { digest: DigestDetail; place: number },
): void {
  const isFirst = !journal.some(({ fingerprint, number }) => fingerprint === alert.fingerprint && number < alert.number)
  const revision = digest.updates.findLast(({ through }) => through >= place)
  if (isFirst && alert.status === 'firing' && alert.severity === 'critical' && revision !== undefined)
    assert.equal(revision.way, 'post', `I8: ${alert.id} is told by an edit`)
}

function checkWaits(world: World, one: DeliveryDetail, view: View): void {
  const { state, via, channel } = one
  const isSending = [...world.held.values()].some(({ destination }) => destination === channel)
  if (state === 'pending')
    assert(isSending || dueAt(view, channel) < Infinity, `I3: ${nameOf(one)} is pending and not due`)
  if (state === 'held') {
    const isLive = view.silences.some((silence) => silence.state === 'active')
    assert(isLive || dueAt(view, 'any') < Infinity, 'I3: held by no silence')
  }
  if (state === 'sending') assert(isSending, 'I3: with a sender that has nothing')
  if (via !== null && state === 'sent' && one.attempts.length === 0) {
    const digest = view.digests.find(({ number }) => number === via.digest)
    assert(digest && via.place <= digest.notified, 'I2: sent with an untold place')
  }
}

/** I4: a repeat of what a destination confirmed is no first message there. */
function checkKnown(world: World, { problems }: View): void {
  for (const { fingerprint, state, opened_at, severity, sender, level } of problems) {
    if (state !== 'firing') continue
    const ended = world.journal.findLast((one) => one.fingerprint === fingerprint && one.status === 'resolved')
    const spell = world.journal.filter(
      (one) =>
        one.fingerprint === fingerprint &&
        one.number > (ended?.number ?? 0) &&
        one.committedAt >= Date.parse(opened_at),
    )
    const destinations = CHANNELS.map((channel) => ({ channel, target: undefined }))
    const trial = {
      fingerprint,
      severity: severityLevel(severity),
      status: 'firing',
      sender,
      page: undefined,
    } as const
    const tried = world.store.noise.tryRepeat({ ...trial, destinations })
    CHANNELS.forEach((channel, at) => {
      const told = spell.find(
        ({ number, status, severity }) =>
          status === 'firing' &&
          severityLevel(severity) === level &&
          world.confirmed.has(`delivery ${channel} ${CHANNEL_CODE[channel]} ${number} 0`),
      )
      const said = tried?.destinations[at]
      const isUnknown = said?.kind === 'message' && said.because === 'not told'
      assert(told === undefined || !isUnknown, `I4: ${channel} was told of ${told?.id} and knows nothing`)
    })
  }
}

function checkNumbers(world: World, { problems, counters, stored, digests, progress }: View): void {
  const fingerprints = problems.map(({ fingerprint }) => fingerprint)
  assert.equal(new Set(fingerprints).size, fingerprints.length, 'I5: two problems of one fingerprint')
  assert.equal(counters.incidents, stored.length, 'I12: incidents are counted')
  assert.equal(progress.applied, world.journal.length)
  const deliveries = stored.flatMap((one) => one.deliveries)
  const storms = digests.filter(({ kind, state }) => kind === 'storm' && state === 'open').map(nameOf)
  assert.equal(new Set(storms).size, storms.length, `I5: two open storms at one destination: ${storms}`)
  const open = deliveries.filter(({ state }) => ['pending', 'sending', 'folded'].includes(state))
  const untold = open.filter(({ state, via }) => state !== 'folded' || via?.update === null)
  assert(counters.unfinishedDeliveries >= untold.length, `I12: ${counters.unfinishedDeliveries} of ${untold.length}`)
}

/** Nothing waits any more, everything is told, and the pager knows the end of what was resolved. */
function checkDrained(world: World): void {
  const view = viewOf(world)
  const waiting = view.stored.flatMap(({ id, deliveries }) =>
    deliveries
      .filter(({ state }) => ['pending', 'sending', 'folded', 'held'].includes(state))
      .map((one) => `${id} ${nameOf(one)} ${one.state}`),
  )
  assert.deepEqual(waiting, [], 'I3: left untold')
  assert.equal(view.counters.unfinishedDeliveries, 0, 'I12: unfinished')
  for (const { fingerprint, state, ended_by, last_incident_id } of view.problems) {
    if (state === 'firing') {
      const last = view.stored.find(({ id }) => id === last_incident_id)
      const untold = last?.deliveries.filter((one) => one.state === 'silenced') ?? []
      assert.deepEqual(untold.map(nameOf), [], `I14: ${fingerprint} fires and nobody was told`)
    } else if (ended_by !== 'quiet')
      for (const [key, signal] of world.pager)
        if (key.startsWith(`${fingerprint} `))
          assert.equal(signal, 'resolve', `I6: the pager knows nothing of the end of ${fingerprint}`)
  }
}

const nameOf = ({ channel, target }: Pick<DeliveryDetail, 'channel' | 'target'>) =>
  target === null ? channel : `${channel}:${target}`
const dueAt = ({ dueAt }: View, name: string) => dueAt.find(([to]) => to === name)?.[1] ?? Infinity
const range = (from: number, to: number) => Array.from({ length: Math.max(0, to - from + 1) }, (_, at) => from + at)
function mapOf<K, V>(maps: Map<string, Map<K, V>>, key: string): Map<K, V> {
  const found = maps.get(key) ?? new Map<K, V>()
  maps.set(key, found)
  return found
}

/** Ends all silences and lets everything be sent. */
export function drain(world: World, witness: Witness): void {
  world.turn({ sendersLost: true })
  world.lose()
  for (const [id, one] of world.silences) if (!one.isOver) endNow(world, id)
  for (let n = 0; n < 200; n++) {
    world.deliver()
    if (n % 10 === 0) witness.check(world)
    const at = world.nextAt()
    if (at === Infinity) break
    world.now = Math.max(world.now + MINUTE, Math.min(at, world.now + 60 * MINUTE))
  }
  checkDrained(world)
}

function endNow(world: World, id: number): void {
  world.store.silences.end(id, 'Ada')
  world.silenceIsOver(id)
}
