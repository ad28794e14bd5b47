import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { test } from 'node:test'
import { postOpenLoop } from '../harness/load/open-loop.ts'
import { cpuSecondsByThread } from '../harness/watch/proc.ts'

const urlOf = (server: Server) => `http://127.0.0.1:${(server.address() as AddressInfo).port}`
const LINUX_ONLY = process.platform === 'linux' ? false : 'there is no /proc'

test('an open loop posts at the due times while nothing is answered', {
  timeout: 60_000,
}, async (t) => {
  const pace = { perSecond: 500, seconds: 0.2 }
  const dueMicros: number[] = []
  const held: ServerResponse[] = []
  const server = createServer(async (request, response) => {
    if (request.method === 'GET') return response.end()
    const [, micros] = /t(\d{16})e/.exec(await text(request)) ?? []
    dueMicros.push(Number(micros))
    held.push(response)
    if (held.length === 100) for (const each of held) each.writeHead(201).end()
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  t.after(() => server.close())
  const { accepted, refused, curve } = await postOpenLoop(urlOf(server), pace)
  assert.deepEqual([accepted, refused], [100, 0])
  const [first = 0, ...others] = dueMicros.sort((a, b) => a - b)
  assert.deepEqual(
    others.map((micros, at) => Math.round((micros - first) / 2_000) - at),
    Array(99).fill(1),
  )
  assert.ok(curve.length > 0 && curve.every(([, ms]) => ms > 0))
})

test('answers other than 201 are counted as refused', { timeout: 60_000 }, async (t) => {
  const server = createServer((request, response) => request.resume().on('end', () => response.writeHead(503).end()))
  await once(server.listen(0, '127.0.0.1'), 'listening')
  t.after(() => server.close())
  const { accepted, refused } = await postOpenLoop(urlOf(server), { perSecond: 100, seconds: 0.1 })
  assert.deepEqual([accepted, refused], [0, 10])
})

test('threads have their names in /proc', { timeout: 60_000, skip: LINUX_ONLY }, async (t) => {
  const named = new URL('../../bench/servers/name-threads.ts', import.meta.url).href
  const script = new URL('./fixtures/nested-threads.ts', import.meta.url).pathname
  const child = spawn(process.execPath, ['--import', named, script], { stdio: ['pipe', 'pipe', 'inherit'] })
  t.after(() => child.kill('SIGKILL'))
  child.stdin.write('start\n')
  await once(child.stdout, 'data')
  const names = Object.keys(cpuSecondsByThread(child.pid ?? 0))
  for (const name of ['main', 'v8', 'child']) assert.ok(names.includes(name), names.join())
})
