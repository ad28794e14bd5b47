import { computed } from '@preact/signals'
import type { Stats } from '../../src/api/stats.ts'
import { href } from '../app/route.ts'
import { plural } from '../ui/charts/numbers.ts'
import { span } from '../ui/time.tsx'
import { stats } from './stats.ts'

/** A problem that a person should look at. */
export interface AttentionItem {
  readonly tone: 'bad' | 'warn'
  readonly title: string
  /** Its meaning, or what to do about it. */
  readonly text: string
  readonly href: string
}

/** Open problems, the worst first. */
export const attention = computed<readonly AttentionItem[]>(() => {
  const { value } = stats
  return value === undefined ? [] : [...brokenItems(value), ...waitingItems(value)]
})

/** Failures. */
function brokenItems({ threads, actors, attention, oncall, storage }: Stats): AttentionItem[] {
  const found: AttentionItem[] = []
  const down = Object.entries({ ...threads, ...actors }).filter(([, { state }]) => state !== 'up')
  if (down.length > 0) {
    const title = `Not up: ${down.map(([name, { state }]) => `${name} (${state})`).join(', ')}`
    found.push({ tone: 'bad', title, text: 'It is being restarted. The log has the reason.', href: href('overview') })
  }
  const circuits = attention.open_circuits ?? 0
  if (circuits > 0) {
    const text = 'A provider keeps failing. Deliveries to it wait.'
    found.push({ tone: 'bad', title: `${plural(circuits, 'circuit')} open`, text, href: href('channels') })
  }
  const dead = attention.dead ?? 0
  if (dead > 0) {
    const text = 'Deliveries that failed for good. Fix the cause, then replay them.'
    found.push({ tone: 'bad', title: plural(dead, 'dead letter'), text, href: href('channels', 'dead') })
  }
  if (storage !== null && storage.apply_lag_ms > LATE_MS) {
    const text = 'They are on disk. More arrive than can be applied, or the database cannot be written.'
    const title = `${plural(storage.unapplied, 'incident')} not applied, ${span(storage.apply_lag_ms)} behind`
    found.push({ tone: 'bad', title, text, href: href('overview') })
  }
  const overdue = oncall?.overdue ?? 0
  if (overdue > 0) {
    const text = 'The on-call provider could not be reached in time.'
    found.push({ tone: 'bad', title: `${plural(overdue, 'page')} overdue`, text, href: FIRING })
  }
  return found
}

/** Work that waits for a person, and limits that are near. */
function waitingItems({ attention, deliveries, actors, agent }: Stats): AttentionItem[] {
  const found: AttentionItem[] = []
  const firing = attention.unacknowledged_firing ?? 0
  if (firing > 0) {
    const text = 'Firing, and not acknowledged by a person.'
    found.push({ tone: 'warn', title: `${plural(firing, 'incident')} unacknowledged`, text, href: FIRING })
  }
  const storms = attention.storms ?? 0
  if (storms > 0) {
    const text = 'More arrives than people can read. A digest tells of what no message of its own is sent for.'
    found.push({ tone: 'warn', title: `${plural(storms, 'storm')} open`, text, href: href('noise') })
  }
  for (const [name, { oldest_pending_age_ms: age, backlog }] of Object.entries(deliveries)) {
    if ((age ?? 0) < OLD_MS) continue
    const text = `${plural(backlog ?? 0, 'delivery', 'deliveries')} pending.`
    found.push({ tone: 'warn', title: `${name} is ${span(age ?? 0)} behind`, text, href: href('channels') })
  }
  for (const [name, { depth, capacity }] of Object.entries(actors)) {
    if (capacity === 0 || depth / capacity < FULL_SHARE) continue
    const text = `${depth} of ${capacity} slots are taken.`
    found.push({ tone: 'warn', title: `The mailbox of ${name} is nearly full`, text, href: href('overview') })
  }
  if (agent !== null && (agent.lag ?? 0) > LAG_MS) {
    found.push({
      tone: 'warn',
      title: 'The agent is behind',
      text: `${span(agent.lag ?? 0)} behind its slowest source.`,
      href: href('agent'),
    })
  }
  return found
}

const OLD_MS = 5 * 60_000
const FULL_SHARE = 0.9
const LAG_MS = 2 * 60_000
/** Accepted incidents are usually applied within milliseconds. */
const LATE_MS = 60_000
const FIRING = href('incidents', '', { status: 'firing' })
