import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { test } from 'node:test'
import { Client } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { READ, REVISIONS, startMcp } from './rig.ts'

const TOCSIN = join(import.meta.dirname, '../../../src/tocsin.js')

interface Command {
  readonly command: string
  readonly args: string[]
  readonly env: Record<string, string>
}

const commandFor = (url: string, token: string): Command => ({
  command: process.execPath,
  args: ['--disable-warning=ExperimentalWarning', TOCSIN, 'mcp', '--url', url],
  env: { PATH: process.env.PATH ?? '', TOCSIN_MCP_TOKEN: token },
})

for (const revision of REVISIONS)
  test(`the official client that starts a command gets the tools through the bridge (${revision})`, async (t) => {
    const { url } = await startMcp(t)
    const mode = revision === 'legacy' ? revision : { pin: revision }
    const client = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode } })
    await client.connect(new StdioClientTransport(commandFor(url, READ)))
    t.after(() => client.close())
    assert.ok((await client.listTools()).tools.some(({ name }) => name === 'problems'))
    const [{ isError }, again] = await Promise.all([
      client.callTool({ name: 'heartbeats', arguments: {} }),
      client.callTool({ name: 'no_such_tool', arguments: {} }),
    ])
    assert.deepEqual([isError, again.isError], [undefined, true])
  })

test('each request of a bridge with a wrong token or address gets an error, and a notification nothing', async (t) => {
  const { url } = await startMcp(t)
  const input = '{"jsonrpc":"2.0","id":1,"method":"ping"}\n{"jsonrpc":"2.0","method":"notifications/initialized"}\n\n'
  for (const [address, token] of [
    [url, 'wrong'],
    ['http://127.0.0.1:1', READ],
  ] as const) {
    const { stdout, status } = await bridged(commandFor(address, token), input)
    const [line = '', ...rest] = stdout.split('\n')
    const { id, error } = JSON.parse(line) as { id: number; error: { message: string } }
    assert.deepEqual([id, rest, status], [1, [''], 0])
    assert.ok(!error.message.includes(READ))
  }
  assert.equal((await bridged({ ...commandFor(url, ''), env: {} }, input)).status, 2)
})

/** Runs a bridge over the input. The service of the test is in this process, which goes on meanwhile. */
async function bridged({ command, args, env }: Command, input: string) {
  const child = spawn(command, args, { env, stdio: ['pipe', 'pipe', 'ignore'] })
  const ended = once(child, 'close')
  child.stdin.on('error', () => {}).end(input)
  const stdout = await text(child.stdout)
  const [status] = await ended
  return { stdout, status }
}
