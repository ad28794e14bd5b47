import assert from 'node:assert/strict'
import { once } from 'node:events'
import net from 'node:net'
import { type TestContext, test } from 'node:test'
import { Agent } from 'undici'
import { follow } from '../../src/commands/follow.ts'
import { configFile, folder } from '../harness/config-file.ts'
import { post, SECRET } from '../harness/net/requests.ts'
import { startTestSystem } from '../harness/system.ts'

test('after a break the tail continues where it was', async (t) => {
  const { url } = await startTestSystem(t, configFile(folder()))
  const wire = await cuttable(t, Number(new URL(url).port))
  const watching = followed(t, `http://127.0.0.1:${wire.port}`)
  await watching.until((said) => said.includes('up'))
  await post(url, { ServiceName: 'before' })
  await watching.until((said) => said.includes('before'))
  wire.cut()
  await post(url, { ServiceName: 'meanwhile' })
  await watching.until((said) => said.includes('down'))
  await watching.until((said) => said.includes('meanwhile'))
  await post(url, { ServiceName: 'after' })
  await watching.until((said) => said.includes('after'))
  assert.deepEqual(watching.said, ['up', 'before', 'down', 'up', 'meanwhile', 'after'])
})

test('after a restart of the service an unknown number of events was missed', async (t) => {
  const file = configFile(folder())
  const first = await startTestSystem(t, file)
  const wire = await cuttable(t, first.port)
  const watching = followed(t, `http://127.0.0.1:${wire.port}`)
  await watching.until((said) => said.includes('up'))
  await first.stop()
  await watching.until((said) => said.includes('down'))
  const second = await startTestSystem(t, file)
  wire.leadTo(second.port)
  await watching.until((said) => said.filter((each) => each === 'up').length === 2)
  assert.ok(watching.said.includes('gap unknown'))
})

test('a service that cannot be reached at first, or refuses, is an error', async (t) => {
  const { url } = await startTestSystem(t, configFile(folder()))
  const over = new URLSearchParams()
  const signal = new AbortController().signal
  const watcher = { event() {}, gap() {}, up() {}, down() {} }
  const at = (where: string, secret: string) =>
    follow({ url: where, secret, dispatcher: new Agent() }, { filterQuery: over, signal }, watcher)
  await assert.rejects(at(url, 'wrong'), { name: 'ServiceError', status: 401, message: /refuses the secret/ })
  await assert.rejects(at('http://127.0.0.1:9', SECRET), { name: 'ServiceError', message: /cannot be reached/ })
  over.set('kinds', 'nonsense')
  await assert.rejects(at(url, SECRET), { name: 'ServiceError', message: /does not open its live tail/ })
})

/** Records what `follow` reports: titles of incidents, and the state of the connection. */
function followed(t: TestContext, url: string) {
  const said: string[] = []
  const watchers: (() => void)[] = []
  const ending = new AbortController()
  const say = (text: string) => {
    said.push(text)
    for (const tell of watchers.splice(0)) tell()
  }
  const dispatcher = new Agent()
  const ended = follow(
    { url, secret: SECRET, dispatcher },
    { filterQuery: new URLSearchParams({ kinds: 'incident' }), signal: ending.signal },
    {
      event: (event) => event.kind === 'incident' && say(event.incident.title),
      gap: (count) => say(`gap ${count ?? 'unknown'}`),
      up: () => say('up'),
      down: () => said.at(-1) !== 'down' && say('down'),
    },
  )
  t.after(async () => {
    ending.abort()
    await ended
    await dispatcher.destroy()
  })
  return {
    said,
    async until(done: (all: readonly string[]) => boolean) {
      while (!done(said)) await Promise.race([ended, new Promise<void>((resolve) => watchers.push(resolve))])
    },
  }
}

/** A way to a port that can be cut, and led elsewhere. */
async function cuttable(t: TestContext, port: number) {
  let target = port
  const open = new Set<net.Socket>()
  const server = net.createServer((from) => {
    const to = net.connect(target, '127.0.0.1')
    for (const socket of [from, to]) {
      open.add(socket)
      socket
        .on('error', () => {})
        .on('close', () => {
          open.delete(socket)
          from.destroy()
          to.destroy()
        })
    }
    from.pipe(to).pipe(from)
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const cut = () => {
    for (const socket of open) socket.destroy()
  }
  t.after(() => {
    server.close()
    cut()
  })
  return {
    port: (server.address() as net.AddressInfo).port,
    cut,
    leadTo(next: number) {
      target = next
    },
  }
}
