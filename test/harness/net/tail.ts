import type { TestContext } from 'node:test'
import type { TailEvent } from '../../../src/domain/event.ts'
import { SECRET } from './requests.ts'
import { tailTicket } from './tail-handshake.ts'

/** Only ends a hang. */
const DEADLINE_MS = 60_000

/** An event with the id that the tail hub gives it. */
type ReceivedEvent = TailEvent & { readonly id: string }

/**
 * Connects a client to the live tail of a running service. It is closed when the test ends; `until` also ends when it
 * is cut off.
 */
export async function tailOf(t: TestContext, url: string, query = '') {
  const ticket = await tailTicket(url, SECRET)
  const socket = new WebSocket(`${url.replace('http', 'ws')}/api/admin/tail?ticket=${ticket}${query}`)
  t.after(() => socket.close())
  const events: ReceivedEvent[] = []
  const stats: unknown[] = []
  const watchers: (() => void)[] = []
  const notify = () => {
    for (const watcher of watchers.splice(0)) watcher()
  }
  let greeted = false
  let open = true
  const closed = new Promise<number>((resolve) =>
    socket.addEventListener('close', ({ code }) => {
      open = false
      resolve(code)
      notify()
    }),
  )
  socket.addEventListener('message', ({ data }) => {
    const received = String(data)
      .split('\n')
      .map((line) => JSON.parse(line) as ReceivedEvent)
    events.push(...received.filter(({ id, kind }) => id !== undefined && kind !== 'stats'))
    stats.push(...received.flatMap((event) => (event.kind === 'stats' ? event.stats : [])))
    greeted = true
    notify()
  })
  async function until(done: () => boolean): Promise<void> {
    let late = false
    const deadline = setTimeout(() => {
      late = true
      notify()
    }, DEADLINE_MS)
    try {
      while (!done()) {
        if (late || !open) {
          const last = JSON.stringify(events.at(-1))
          throw new Error(`${late ? 'still waiting' : 'the live tail closed'} after ${events.length} events: ${last}`)
        }
        await new Promise<void>((resolve) => watchers.push(resolve))
      }
    } finally {
      clearTimeout(deadline)
    }
  }
  await until(() => greeted)
  return {
    socket,
    events,
    stats,
    closed,
    until: (done: (events: readonly ReceivedEvent[]) => boolean) => until(() => done(events)),
  }
}
