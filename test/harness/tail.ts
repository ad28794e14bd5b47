import type { TestContext } from 'node:test'
import type { TailEvent } from '../../src/domain/event.ts'
import { SECRET } from './system.ts'

/** An event as it comes. */
type ReceivedEvent = TailEvent & { readonly id: string }

/** A client of a running service's live tail, closed when the test ends. */
export async function tailOf(t: TestContext, url: string, query = '') {
  const answer = await fetch(`${url}/api/admin/tail/ticket`, {
    method: 'POST',
    headers: { 'X-Gateway-Secret': SECRET },
  })
  const { ticket } = (await answer.json()) as { ticket: string }
  const socket = new WebSocket(`${url.replace('http', 'ws')}/api/admin/tail?ticket=${ticket}${query}`)
  t.after(() => socket.close())
  const events: ReceivedEvent[] = []
  const stats: unknown[] = []
  const watchers: (() => void)[] = []
  let greeted = false
  const closed = new Promise<number>((resolve) => socket.addEventListener('close', ({ code }) => resolve(code)))
  socket.addEventListener('message', ({ data }) => {
    const lines = String(data).split('\n')
    const told = lines.map((line) => JSON.parse(line) as ReceivedEvent)
    events.push(...told.filter(({ id, kind }) => id !== undefined && kind !== 'stats'))
    stats.push(...told.flatMap((event) => (event.kind === 'stats' ? event.stats : [])))
    greeted = true
    for (const tell of watchers.splice(0)) tell()
  })
  async function until(done: () => boolean): Promise<void> {
    while (!done()) await new Promise<void>((resolve) => watchers.push(resolve))
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
