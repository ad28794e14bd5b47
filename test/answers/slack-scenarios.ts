import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { blockActions, type SlackApp, startSlackApp } from '../harness/slack/app.ts'
import { until } from '../harness/until.ts'

/** A program that takes presses: the official client, or the service's own receiver. */
interface Subject {
  readonly name: string
  /** Connections that it holds. */
  readonly connections: number
  /** Starts it; `pressed` gets the token of each press that it takes. */
  start(app: SlackApp, pressed: string[]): Promise<void>
}

const TOKEN = '1a.subject.mac'

/** What a client of Socket Mode has to live through. */
export function socketModeScenarios({ name, connections, start }: Subject): void {
  async function started(t: TestContext) {
    const app = await startSlackApp(t)
    const pressed: string[] = []
    await start(app, pressed)
    await app.connected(connections)
    /** Sends a press over the newest connection and waits until it is acknowledged there. */
    const press = async () => {
      const socket = app.sockets.open().at(-1)
      const id = socket?.envelope('interactive', blockActions(TOKEN))
      await until(() => socket?.acked.includes(id ?? ''))
    }
    return { app, pressed, press }
  }

  test(`${name}: a press comes over a connection and is acknowledged over it`, async (t) => {
    const { press, pressed } = await started(t)
    await press()
    await press()
    assert.deepEqual(pressed, [TOKEN, TOKEN])
  })

  for (const reason of ['warning', 'refresh_requested'])
    test(`${name}: disconnect with ${reason} is followed by a new connection`, async (t) => {
      const { app, press, pressed } = await started(t)
      for (const socket of app.sockets.open()) socket.disconnect(reason)
      await app.connected(connections, 2 * connections)
      assert.ok(app.sockets.sockets.slice(0, connections).every(({ wasClosedByApp }) => wasClosedByApp))
      await press()
      assert.deepEqual(pressed, [TOKEN])
    })

  test(`${name}: a connection that breaks is opened anew`, async (t) => {
    const { app, press } = await started(t)
    for (const socket of app.sockets.open()) socket.cut()
    await app.connected(connections, 2 * connections)
    await press()
  })

  test(`${name}: a ping of the server is answered`, async (t) => {
    const { app } = await started(t)
    for (const socket of app.sockets.open()) socket.ping()
    await until(() => app.sockets.open().every(({ pongs }) => pongs === 1))
  })

  test(`${name}: frames that are no JSON, or of an unknown type, end nothing`, async (t) => {
    const { app, press } = await started(t)
    for (const socket of app.sockets.open())
      for (const frame of ['{"type":', '[]', '{"type":"news"}']) socket.send(frame)
    await press()
    assert.equal(app.sockets.sockets.length, connections)
  })

  test(`${name}: without the right token no connection is asked for again at once`, async (t) => {
    const app = await startSlackApp(t)
    app.chat.script = () => ({ status: 200, body: { ok: false, error: 'invalid_auth' } })
    await start(app, [])
    await until(() => app.chat.requests.length > 0)
    assert.ok(app.chat.requests.length <= 2)
    assert.equal(app.sockets.sockets.length, 0)
  })
}
