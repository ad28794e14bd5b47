import assert from 'node:assert/strict'
import type { DigestUpdate } from '../../../src/api/noise/digest.ts'
import type { Dispatch, MessageDispatch, Page } from '../../../src/domain/delivery/dispatch.ts'
import type { DigestNotice } from '../../../src/domain/delivery/notice.ts'
import type { Draft } from '../../../src/domain/incident.ts'
import type { TriedRepeat } from '../../../src/store/ports/noise.ts'
import { CHANNELS, type Committed, groupKeyOf, messageOf, WAIT, type World } from './world.ts'

/** The senders get a dispatch: nothing is told twice without a mark, or inside a silence, or with numbers that fall. */
export function checkHandedOut(world: World, one: Dispatch): void {
  const message = messageOf(one)
  const committed = world.journal[one.incident - 1]
  const isAgain = committed !== undefined && world.again.has(committed.id)
  if (one.kind === 'delivery' && !isAgain) assert(!world.confirmed.has(message), `I1: ${message} is sent a second time`)
  // Signals after the trigger may come twice: they change nothing then.
  if (world.maybe.has(message) && one.kind !== 'notice' && (one.kind !== 'page' || one.signal === 'trigger'))
    assert(one.mayDuplicate || isRepeatedPost(one), `I1: ${message} may arrive twice and does not say so`)
  const isTold = one.kind === 'delivery' || (one.kind === 'page' && one.signal === 'trigger')
  if (isTold && committed?.status === 'firing' && !isAgain && !one.mayDuplicate) {
    const silence = [...world.silences.values()].find(({ isOver, service }) => !isOver && service === committed.service)
    assert(silence === undefined, `I14: ${message} leaves inside a silence`)
  }
  if (one.kind === 'digest') checkWords(world, one)
  if (one.kind === 'digest' && one.group !== undefined && one.edits === undefined) checkGap(world, one)
  if (one.kind === 'page' && committed && one.attempt === 1 && !one.mayDuplicate) checkFullWait(world, one, committed)
}

/** I14: a timer that a silence held runs its full wait after the end. */
function checkFullWait(world: World, { signal, incident }: Page, { id, service }: Committed): void {
  const isHeld = world.store.incidents.record(id)?.silence !== null
  const endedAt = world.silenceEndedAt.get(service) ?? -Infinity
  if (signal === 'trigger' && isHeld) assert(world.now >= endedAt + WAIT, `I14: the timer of ${incident} is cut short`)
}

/** Least time between two messages of a group that ring: what two messages take at the rate of the channels. */
const GAP = 10_000

/** I17: between two messages of a group that ring is time, where its message can be edited and is there. */
function checkGap(world: World, { number, destination }: MessageDispatch): void {
  const { posted_at, updates = [] } = world.store.noise.digest(number) ?? {}
  if (destination !== 'chatws' || world.refused > 0 || !updates.some(isPost)) return
  const passed = world.now - Date.parse(posted_at ?? '')
  assert(passed >= GAP, `I17: digest ${number} rings again after ${passed} ms`)
}
const isPost = ({ way }: DigestUpdate) => way === 'post'

const isRepeatedPost = (one: Dispatch) =>
  one.kind === 'digest' && (one.edits !== undefined || (one.notice as DigestNotice | undefined)?.mayRepeat !== false)

const said = new WeakMap<World, Map<number, number>>()

function checkWords(world: World, { number, notice, repeats, group }: MessageDispatch): void {
  const numbers = said.get(world) ?? new Map<number, number>()
  said.set(world, numbers)
  const counts = notice?.kind === 'digest' ? notice.counts : []
  const total =
    group !== undefined
      ? group.alerts
      : repeats === undefined
        ? counts.reduce((sum, count) => sum + count.alerts, 0)
        : repeats.flapping === undefined
          ? repeats.count
          : repeats.flapping.firing + repeats.flapping.resolved
  assert(total >= (numbers.get(number) ?? 0), `I10: digest ${number} says ${total} after ${numbers.get(number)}`)
  numbers.set(number, total)
  if (repeats !== undefined || group !== undefined) return
  const singly = counts.reduce((sum, count) => sum + count.singly + count.waiting, 0)
  const { notified: told = 0, incidents: folded = 0 } = world.store.noise.digest(number) ?? {}
  assert(
    told <= total - singly && total - singly <= folded,
    `I10: ${total - singly} places in the text, ${told} to ${folded}`,
  )
}

interface Trial {
  readonly tried: TriedRepeat | undefined
}
type Alert = Pick<Draft, 'fingerprint' | 'severity' | 'service' | 'status' | 'sender' | 'members'>

/** Asks what would become of an alert, when nothing else can happen in the turn that applies it. */
export function beforeArrival(world: World, alert: Alert, target: string | null): Trial {
  world.turn()
  const destinations = [{ channel: 'chatws' as const, target: target ?? undefined }, { channel: 'email' as const }]
  const page = world.rules.oncall && alert.status === 'firing' ? { waitMs: WAIT } : undefined
  const priority = alert.severity === 'critical' ? 'high' : 'normal'
  const group = world.rules.groups && { group: { key: groupKeyOf(alert.service), priority } as const }
  return { tried: world.store.noise.tryRepeat({ ...alert, destinations, page, ...group }) }
}

/** What became of the first alert is what the trial said, where no silence holds it. */
export function afterArrival(world: World, [first]: readonly Committed[], { tried }: Trial): void {
  const detail = first && world.store.incidents.detail(first.id)
  const isHeld = [...world.silences.values()].some(({ isOver, service }) => !isOver && service === first?.service)
  if (detail === undefined || tried === undefined || isHeld) return
  tried.destinations.forEach((said, at) => {
    const one = detail.deliveries
      .filter(({ reason }) => reason === null)
      .find(({ channel }) => channel === CHANNELS[at])
    const { via = null } = one ?? {}
    if (said.kind === 'message')
      assert(via === null || via.kind === 'storm', `I11: ${said.because}, and yet ${via?.kind}`)
    else assert.deepEqual([via?.place, said.digest ?? via?.digest], [said.place, via?.digest], 'I11: place of a trial')
  })
  if (detail.oncall !== null)
    assert.equal(detail.oncall.state === 'joined', tried.joins, 'I11: a trial joins as the incident does')
}
