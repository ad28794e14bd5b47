import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { AnswerPage } from '../../../src/api/answer.ts'
import type { ProblemPage } from '../../../src/api/noise/problem.ts'
import { answers } from '../../../src/commands/noise/answers.ts'
import { configFile, folder } from '../../harness/config-file.ts'
import { admin, operate, post, SECRET } from '../../harness/net/requests.ts'
import { startTestSystem } from '../../harness/system.ts'
import { until } from '../../harness/until.ts'

test('a service lists who did what to its problems, latest first, and narrows the list', async (t) => {
  const { url } = await startTestSystem(t, configFile(folder(), { alert: {} }))
  const ask = <T>(path: string) => admin<T>(url, `/api/admin/${path}`)
  for (const title of ['Disk full', 'Slow']) await post(url, { title, service: title })
  const { problems } = await until(
    () => ask<ProblemPage>('problems'),
    ({ firing }) => firing === 2,
  )
  const numberOf = (name: string) => problems.find(({ service }) => service === name)?.id
  const [disk, slow] = ['Disk full', 'Slow'].map(numberOf)
  const act = (id: number | undefined, action: string, by: string) =>
    operate(`${url}/api/admin/problems/${id}/${action}`, { by })
  await act(disk, 'ack', 'Ada')
  await act(slow, 'ack', 'Grace')
  await act(disk, 'resolve', 'Grace')

  const found = async (query: string) =>
    (await ask<AnswerPage>(`answers?${query}`)).answers.map(({ actor, action, title, result }) =>
      [actor, action, title, result].join(' '),
    )
  const all = ['Grace resolve Disk full done', 'Grace acknowledge Slow done', 'Ada acknowledge Disk full done']
  assert.deepEqual(await found(''), all)
  assert.deepEqual(await found(`problem=${disk}`), [all[0], all[2]])
  assert.deepEqual(await found('by=Ada'), [all[2]])
  assert.deepEqual(await found('via=chatws'), [])
  assert.deepEqual(await found('via=admin&result=done&limit=2'), all.slice(0, 2))
  const first = await ask<AnswerPage>('answers?limit=2')
  assert.deepEqual(await found(`cursor=${first.next_cursor}`), [all[2]])
  for (const wrong of ['via=fax', 'result=no', 'problem=x', 'who=Ada', 'cursor=x'])
    assert.equal((await listOf(url, wrong)).status, 400, wrong)

  const lines: string[] = []
  t.mock.method(console, 'log', (line: string) => lines.push(line))
  process.env.GATEWAY_SECRET = SECRET
  t.after(() => delete process.env.GATEWAY_SECRET)
  assert.equal(await answers.run(['--url', url, '--by', 'Ada']), 0)
  assert.equal(await answers.run(['--url', url, '--problem', '999']), 0)
  assert.match(lines[0] ?? '', new RegExp(`^at .*\\n\\S+Z +Ada +acknowledge +${disk} +Disk full +admin +- +done$`))
  assert.equal(lines[1], 'no answer')
})

const listOf = (url: string, query: string) =>
  fetch(`${url}/api/admin/answers?${query}`, { headers: { 'X-Gateway-Secret': SECRET } })
