import assert from 'node:assert/strict'
import { execFile, execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import test, { type TestContext } from 'node:test'
import { promisify } from 'node:util'
import { blocksOf } from '../../docs/pages.ts'
import { folder } from '../../harness/config-file.ts'
import { counted, imported } from './minutes.ts'
import { asAnswered as opsgenieAnswered, opsgenieExport } from './opsgenie-exports.ts'
import { asAnswered as pagerdutyAnswered, pagerdutyExport } from './pagerduty-exports.ts'

const hasJq = (() => {
  try {
    return execFileSync('jq', ['--version']).length > 0
  } catch {
    return false
  }
})()
const skip = hasJq ? false : 'jq is not installed'

/** Serves answers by path, and runs a script of docs/migrate.md against them. Returns the export. */
async function exported(t: TestContext, name: string, answerOf: (url: URL) => object, env: object) {
  const server = createServer(({ url = '', headers }, response) => {
    assert.match(String(headers.authorization), /key-of-the-test/)
    response.end(JSON.stringify(answerOf(new URL(url, 'http://localhost'))))
  }).listen(0, '127.0.0.1')
  t.after(() => server.close())
  await once(server, 'listening')
  const API = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const block = blocksOf('docs/migrate.md').find(({ text }) => text.startsWith(`# ${name}.sh`))
  const cwd = folder()
  await promisify(execFile)('sh', ['-ec', block?.text ?? 'exit 1'], {
    cwd,
    env: { ...process.env, ...env, API, KEY: 'key-of-the-test' },
  })
  return readFileSync(join(cwd, 'export.json'), 'utf8')
}

const inPath = ({ pathname }: URL) => pathname.slice(1).split('/')
const page = <T>(list: readonly T[], { searchParams }: URL) => (searchParams.get('offset') === '0' ? list : [])

test('the lines of the page make an export of Opsgenie', { skip }, async (t) => {
  const given = opsgenieAnswered(opsgenieExport(3))
  const answerOf = (url: URL) => {
    const [kind, id, part] = inPath(url)
    const schedule = given.schedules.find((each) => each.id === id)
    if (kind === 'users') return { data: page(given.users, url) }
    if (kind === 'escalations') return { data: given.escalations }
    if (part === 'overrides') return { data: schedule?.overrides }
    if (part === 'timeline') return { data: schedule?.timelines[url.searchParams.get('date') === null ? 0 : 1] }
    const { overrides: _1, timelines: _2, ...rest } = schedule ?? { overrides: [], timelines: [] }
    return { data: id === undefined ? given.schedules.map(({ id, name }) => ({ id, name })) : rest }
  }
  const { code, lines } = await imported(t, 'opsgenie', await exported(t, 'opsgenie', answerOf, { CLOCKS: 'then' }))
  assert.deepEqual([code, counted(lines).all], [0, 4 * (129_600 + 10_080)], lines.join('\n'))
})

test('the lines of the page make an export of PagerDuty', { skip }, async (t) => {
  const given = pagerdutyAnswered(pagerdutyExport(3), 'deciding first')
  const [now, clocks] = given.schedules[0]?.rendered ?? []
  const answerOf = (url: URL) => {
    const [kind, id, part] = inPath(url)
    const schedule = given.schedules.find((each) => each.id === id)
    if (kind === 'users') return { users: page(given.users, url) }
    if (kind === 'escalation_policies') return { escalation_policies: given.escalation_policies }
    if (part === 'overrides') return { overrides: schedule?.overrides }
    if (schedule === undefined) return { schedules: given.schedules.map(({ id, name }) => ({ id, name })) }
    const { overrides: _1, rendered, ...rest } = schedule
    const since = url.searchParams.get('since')
    return { schedule: { ...rest, final_schedule: rendered.find((each) => each.since === since)?.final_schedule } }
  }
  const env = { NOW: now?.since, LATER: now?.until, CLOCKS: clocks?.since, AFTER: clocks?.until }
  const { code, lines } = await imported(t, 'pagerduty', await exported(t, 'pagerduty', answerOf, env))
  assert.deepEqual([code, counted(lines).all], [0, 2 * (129_600 + 10_080)], lines.join('\n'))
})
