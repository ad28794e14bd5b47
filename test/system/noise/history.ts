import { openStore } from '../../../src/store/store.ts'
import { draft, entryOf } from '../../store/support.ts'

/** One incident of a made history. */
interface Past {
  /** Time before now, in milliseconds. */
  readonly agoMs: number
  readonly service: string
  readonly severity: string
  readonly title?: string
}

/** Writes incidents of the past into a data directory, as a service without channels would have; returns their ids. */
export function writeHistory(dataDir: string, past: readonly Past[]): string[] {
  const now = Date.now()
  let clock = now
  const store = openStore({ dataDir, channels: [], maxIncidents: 100_000, maxBacklog: 100_000, now: () => clock })
  const ids = past.map(({ agoMs, service, severity, title = `${service} is ${severity}` }) => {
    clock = now - agoMs
    const content = Buffer.from(JSON.stringify({ title, service, severity }))
    const one = draft({ title, service, severity, fingerprint: title, createdAt: clock, content })
    const entry = entryOf(store.journal.progress().applied + 1, [{ drafts: [one] }], clock)
    store.turn({ settlements: [], sendersLost: false, clockJumpMs: 0, entries: [entry], capacity: new Map() })
    return one.id
  })
  store.close()
  return ids
}
