import { payloadOf } from '../../../src/alertmanager/payload.ts'
import type { Entry } from '../../../src/alertmanager/table.ts'
import { labelsOf, recognise } from '../../../src/intake/recognise.ts'
import type { Clock } from '../../../src/kernel/clock.ts'
import { type HeartbeatSettings, openSignsOfLife, type SignsOfLife } from '../../../src/policy/heartbeat.ts'

interface SignsDeps {
  readonly clock: Pick<Clock, 'now' | 'elapsed'>
  /** Returns the heartbeats of the configuration that runs now: the same list until a reload. */
  heartbeats(): readonly HeartbeatSettings[]
  hear(heartbeat: string): void
}

const LEAST_MS = 1_000

/**
 * Returns what hears alerts that are sent again: each is a sign of life of the heartbeats that it fits, although it makes no
 * incident. A heartbeat hears one at most in a second. Which it fits is found once for each alert.
 */
export function openRepeatedSigns({ clock, heartbeats, hear }: SignsDeps) {
  let rules: { readonly of: readonly HeartbeatSettings[]; readonly signsOf: SignsOfLife } | undefined
  let known = new WeakMap<Entry, readonly string[]>()
  const heardAt = new Map<string, number>()

  function namesOf(entry: Entry, signsOf: SignsOfLife): readonly string[] {
    const found = known.get(entry)
    if (found !== undefined) return found
    const payload = payloadOf({ entry, status: 'firing' }, { externalURL: '', now: clock.now() })
    const content = Buffer.from(JSON.stringify(payload))
    const names = signsOf({ ...recognise(payload), source: 'alertmanager', content })
    known.set(entry, names)
    return names
  }

  function rulesNow(): SignsOfLife | undefined {
    const of = heartbeats()
    if (of.length === 0) return undefined
    if (rules?.of !== of) {
      rules = { of, signsOf: openSignsOfLife(of, labelsOf) }
      known = new WeakMap()
      heardAt.clear()
    }
    return rules.signsOf
  }

  return (entries: readonly Entry[]): void => {
    const signsOf = rulesNow()
    if (signsOf === undefined) return
    const now = clock.elapsed()
    for (const entry of entries)
      for (const name of namesOf(entry, signsOf)) {
        if (now - (heardAt.get(name) ?? -Infinity) < LEAST_MS) continue
        heardAt.set(name, now)
        hear(name)
      }
  }
}
