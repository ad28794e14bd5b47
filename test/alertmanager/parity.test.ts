import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { configFile, folder } from '../harness/config-file.ts'
import { freePort } from '../harness/net/port.ts'
import { SECRET } from '../harness/net/requests.ts'
import { randomFrom } from '../harness/random.ts'
import { startTestSystem } from '../harness/system.ts'
import { until } from '../harness/until.ts'

/** Debian's reads matchers by the classic grammar alone; a newer one is built from its sources where both are to be compared. */
const BINARY = process.env.ALERTMANAGER ?? 'prometheus-alertmanager'
const IS_NEW = process.env.ALERTMANAGER !== undefined
const REQUESTS = Number(process.env.PARITY_REQUESTS ?? 300)

async function startAlertmanager(t: TestContext): Promise<string> {
  const dir = folder()
  const file = join(dir, 'alertmanager.yml')
  writeFileSync(file, 'route: { receiver: default, group_by: [alertname] }\nreceivers: [{ name: default }]\n')
  const port = await freePort()
  const child = spawn(
    BINARY,
    [
      `--config.file=${file}`,
      `--storage.path=${dir}`,
      `--web.listen-address=127.0.0.1:${port}`,
      '--cluster.listen-address=',
    ],
    { stdio: 'ignore' },
  )
  t.after(() => child.kill('SIGKILL'))
  const url = `http://127.0.0.1:${port}`
  await until(() =>
    fetch(`${url}/-/ready`).then(
      ({ ok }) => ok,
      () => false,
    ),
  )
  return url
}

const NAMES = ['alertname', 'team', 'service', 'severity', 'größe', 'a.b']
const ALL_VALUES = ['a', 'ab', 'db-1', 'pay', 'a b', 'ü', '"', '\\', 'a,b', '{x}', '5', 'critical', '/a/', '*']

/** An older one takes a brace at the end. */
const VALUES = ALL_VALUES.filter((text) => IS_NEW || !text.endsWith('}'))
const FLAGS = ['active', 'silenced', 'inhibited', 'expired', 'pending']

interface Answer {
  readonly status: number
  readonly json: unknown
}

test(`${BINARY} and the door answer the same requests alike`, async (t) => {
  const [theirs, system] = await Promise.all([
    startAlertmanager(t),
    startTestSystem(t, configFile(folder(), { alert: { console: { enable: false } } })),
  ])
  const random = randomFrom(20_261_124)
  const one = <T>(of: readonly T[]): T => of[Math.floor(random() * of.length)] as T
  const both = (path: string, init: RequestInit = {}): Promise<[Answer, Answer]> =>
    Promise.all([ask(theirs + path, init), ask(system.url + path, init)])

  const names = IS_NEW ? NAMES : NAMES.slice(0, 4)
  const endsAt = new Date(Math.ceil(Date.now() / 1_000) * 1_000 + 3_600_000).toISOString()
  const drawn = Array.from({ length: 60 }, () => ({
    labels: Object.fromEntries(
      ['alertname', ...names]
        .filter((name) => name === 'alertname' || random() < 0.5)
        .map((name) => [name, one(VALUES)]),
    ),
    annotations: random() < 0.5 ? { summary: one(VALUES) } : {},
    startsAt: '2026-01-01T00:00:00.123Z',
    endsAt,
    generatorURL: random() < 0.5 ? 'http://prometheus:9090/graph' : '',
  }))
  const alerts = [...new Map(drawn.map((alert) => [JSON.stringify(alert.labels), alert])).values()]
  const [{ status }, ours] = await both('/api/v2/alerts', post(alerts))
  assert.deepEqual([status, ours.status], [200, 200])
  // It groups alerts some time after it has taken them.
  await until(async () => {
    const { json } = await ask(`${theirs}/api/v2/alerts/groups`, {})
    return (json as { alerts: unknown[] }[]).flatMap((group) => group.alerts).length === alerts.length
  })
  for (const matchers of [
    [{ name: 'team', value: 'a', isRegex: false, isEqual: true }],
    [
      { name: 'service', value: 'a.*|', isRegex: true, isEqual: true },
      { name: 'team', value: 'pay', isRegex: false, isEqual: false },
    ],
    [{ name: 'severity', value: '*', isRegex: false, isEqual: true }],
  ]) {
    const silence = {
      matchers,
      startsAt: new Date().toISOString(),
      endsAt,
      createdBy: 'x',
      comment: 'broad: y',
    }
    const answers = await both('/api/v2/silences', post(silence))
    assert.deepEqual(
      answers.map((answer) => answer.status),
      [200, 200],
      JSON.stringify(answers),
    )
  }

  const value = () =>
    one([...VALUES, ...VALUES.map((text) => JSON.stringify(text)), '.*', '"a|ab"', '""', '', 'a.*', '"(', '['])
  const matcher = () =>
    `${one(['', ' '])}${one([...names, ...(IS_NEW ? ['"team"', '"a.b"', '1x', ''] : [])])}${one(['=', '!=', '=~', '!~', '==', ' = '])}${value()}${one(['', '', '', ' ', ...(IS_NEW ? [',', '}'] : [])])}`
  const flag = () => one(['true', 'false', 'false', '1', '', 'x'])
  for (let nth = 0; nth < REQUESTS; nth++) {
    const search = new URLSearchParams()
    for (let count = Math.floor(random() * 3); count > 0; count--) search.append('filter', matcher())
    for (const key of IS_NEW ? FLAGS : FLAGS.slice(0, 3)) if (random() < 0.2) search.set(key, flag())
    if (random() < 0.2) search.set('receiver', one(['', 'default', 'def.*', 'other', '(']))
    const path = `/api/v2/${one(['alerts', 'alerts/groups', 'silences'])}?${search}`
    // `active` of silences came later.
    if (!IS_NEW && path.startsWith('/api/v2/silences')) continue
    // An empty matcher is absent here, and an error there.
    if (search.getAll('filter').includes('')) continue
    const [their, our] = await both(path)
    assert.equal(our.status, their.status, path)
    if (their.status === 200) assert.deepEqual(plain(our.json), plain(their.json), path)
    else assert.equal(typeof our.json, 'string')
  }
})

async function ask(url: string, init: RequestInit): Promise<Answer> {
  const response = await fetch(url, { ...init, headers: { ...init.headers, Authorization: `Bearer ${SECRET}` } })
  const text = await response.text()
  return { status: response.status, json: text.trim() === '' ? undefined : JSON.parse(text) }
}

const post = (json: unknown): RequestInit => ({
  method: 'POST',
  headers: { 'Content-Type': 'application/json' },
  body: JSON.stringify(json),
})

/** Leaves out what is of its own: ids, the time of the request, what only newer versions have. Lists without an order are sorted. */
function plain(json: unknown): unknown {
  if (Array.isArray(json)) return json.map(plain).sort((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1))
  if (typeof json !== 'object' || json === null) return json
  const kept = Object.entries(json).filter(([key]) => !OWN.has(key))
  return Object.fromEntries(
    kept.sort(([a], [b]) => (a < b ? -1 : 1)).map(([key, value]) => [key, plainValue(key, value)]),
  )
}

/** The end of a claim is kept by a clock that is never set, so it is right to a millisecond. */
function plainValue(key: string, value: unknown): unknown {
  if (key === 'silencedBy') return (value as unknown[]).length
  return key === 'endsAt' ? Math.round(Date.parse(String(value)) / 1_000) : plain(value)
}
const OWN = new Set(['id', 'updatedAt', 'startsAt', 'routeLabels', 'mutedBy'])
