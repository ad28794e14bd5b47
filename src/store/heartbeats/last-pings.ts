import { LRUCache } from 'lru-cache'
import type { LastPing, NamedPing, PingCounts } from '../ports/heartbeats.ts'

/** Bytes of the outputs of all heartbeats. */
const MAX_BYTES = 10_000_000

/** The last ping of each heartbeat since the start; nothing of it is on disk. */
export function openLastPings() {
  const pings = new Map<string, LastPing>()
  const counts = { success: 0, start: 0, failure: 0, log: 0 }
  const outputs = new LRUCache<string, string>({ maxSize: MAX_BYTES, sizeCalculation: bytesOf })
  return {
    set({ heartbeat, signal, exitStatus, at, output = '' }: NamedPing): void {
      counts[signal]++
      pings.set(heartbeat, { signal, exitStatus, at, outputBytes: Buffer.byteLength(output) })
      if (output === '') outputs.delete(heartbeat)
      else outputs.set(heartbeat, output)
    },
    counts: (): PingCounts => ({ ...counts }),
    of: (name: string): LastPing | null => pings.get(name) ?? null,
    outputOf: (name: string): string => outputs.get(name) ?? '',
  }
}

const bytesOf = (text: string) => Math.max(1, Buffer.byteLength(text))
