import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import type { DeliveryEvent, IncidentEvent, TailEvent } from '../../src/domain/event.ts'
import type { TailClient } from '../../src/domain/subscription.ts'
import { Hub } from '../../src/tail/hub.ts'

export const AT = '2030-01-01T00:00:00.000Z'

export function incident(title: string, severity = 'critical'): IncidentEvent {
  const id = '018f0000-0000-7000-8000-000000000001'
  const record = { id, title, service: 'ledger', severity, status: 'firing', source: 'webhook' } as const
  return { kind: 'incident', at: AT, incident: { ...record, sender: 'custom', created_at: AT } }
}

export function delivery(title: string, changes: Partial<DeliveryEvent> = {}): DeliveryEvent {
  const incident_id = '018f0000-0000-7000-8000-000000000001'
  return {
    kind: 'delivery',
    at: AT,
    incident_id,
    title,
    severity: 'critical',
    channel: 'chatws',
    target: null,
    state: 'sent',
    attempt: 1,
    detail: 'HTTP 200',
    next_attempt_at: null,
    accept_to_confirmed_ms: 12,
    ...changes,
  } as DeliveryEvent
}

/** One event of each other kind. */
export const OTHERS = {
  oncall: {
    ...{ kind: 'oncall', at: AT, incident_id: 'i', title: 'Disk full', severity: 'critical' },
    ...{ action: 'paged', by: null, detail: 'webhook' },
  } as TailEvent,
  agent: { kind: 'agent', at: AT, action: 'spike', detail: 'cannot write', pattern_id: 'p1', incident_id: null },
  digest: {
    ...{ kind: 'digest', at: AT, digest: 17, channel: 'chatws', target: 'payments', action: 'updated' },
    ...{ update: 2, way: 'edit', incidents: 90, notified: 60 },
  },
} as const satisfies { readonly [kind: string]: TailEvent }

/** A line that a client was sent, parsed. */
interface Line {
  readonly id?: string
  readonly kind: string
  readonly count?: number
  readonly last_id?: string
  readonly resumed?: boolean
  readonly missed?: number
  readonly incident?: { readonly title: string }
}

/** A client that reads at once, or whose connection buffers until `read` is called. */
export class FakeClient implements TailClient {
  readonly lines: Line[] = []
  readonly topics = new Set<string>()
  held: string[] = []
  reads = true
  isDisconnected = false

  get buffered(): number {
    return this.held.reduce((sum, text) => sum + text.length, 0)
  }
  get titles(): string[] {
    return this.lines.flatMap(({ incident }) => incident?.title ?? [])
  }
  send(text: string): void {
    this.held.push(text)
    if (this.reads) this.read()
  }
  read(): void {
    while (this.held.length > 0) this.readOne()
  }
  readOne(): void {
    const text = this.held.shift() ?? ''
    this.lines.push(...text.split('\n').map((line) => JSON.parse(line) as Line))
  }
  subscribe(topic: string): void {
    this.topics.add(topic)
  }
  unsubscribe(topic: string): void {
    this.topics.delete(topic)
  }
  disconnect(): void {
    this.isDisconnected = true
  }
}

/** A hub with fake clients. */
export function setup() {
  const clients: FakeClient[] = []
  const published: string[] = []
  let now = 0
  const hub = new Hub({
    publish(topic, text) {
      published.push(text)
      for (const client of clients) if (client.topics.has(topic)) client.send(text)
    },
    filtersChanged: () => {},
    startedAt: 1_800_000_000_000,
    now: () => now,
  })
  return {
    hub,
    published,
    advance: (ms: number) => {
      now += ms
    },
    join(request: Partial<Parameters<Hub['join']>[1]> = {}) {
      const client = new FakeClient()
      clients.push(client)
      const subscription = hub.join(client, { filter: {}, ...request })
      return { client, subscription }
    },
    publish(...events: readonly TailEvent[]) {
      hub.accept(events, 0)
      return hub.flush()
    },
  }
}

/** Makes `count` incidents with the titles `first`, `first + 1`, ... */
export const incidents = (count: number, first = 1) =>
  Array.from({ length: count }, (_, at) => incident(String(first + at)))

/** Resolves with a client of a service that has received hello. `until` also ends when it is cut off. */
export async function watching(t: TestContext, socket: WebSocket) {
  const lines: Line[] = []
  const watchers: (() => void)[] = []
  const wakeAll = () => {
    for (const wake of watchers.splice(0)) wake()
  }
  let isOpen = true
  socket.addEventListener('message', ({ data }) => {
    const texts = String(data).split('\n')
    lines.push(...texts.map((line) => JSON.parse(line) as Line))
    wakeAll()
  })
  t.after(() => socket.close())
  const closed = new Promise<{ code: number; reason: string }>((resolve) => {
    socket.addEventListener('close', ({ code, reason }) => {
      isOpen = false
      resolve({ code, reason })
      wakeAll()
    })
  })
  const client = {
    socket,
    lines,
    closed,
    titles: () => lines.flatMap((line) => line.incident?.title ?? []),
    async until(done: (lines: readonly Line[]) => boolean) {
      while (!done(lines)) {
        assert.ok(isOpen, JSON.stringify(lines.at(-1)))
        await new Promise<void>((resolve) => watchers.push(resolve))
      }
    },
  }
  await client.until((all) => all.length > 0)
  return client
}
