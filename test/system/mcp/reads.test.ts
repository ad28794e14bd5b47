import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ProblemPage } from '../../../src/api/noise/problem.ts'
import { admin, post } from '../../harness/net/requests.ts'
import { until } from '../../harness/until.ts'
import { ACT, connect, linesOf, REVISIONS, startMcp, textOf } from './rig.ts'

for (const revision of REVISIONS)
  test(`the official client lists the tools of its scope and calls each that reads (${revision})`, async (t) => {
    // The answers of the threads that accept requests are those of main.
    const { url } = await startMcp(t, revision === 'legacy' ? { http: { threads: 2 } } : {})
    const id = await incident(url, { ServiceName: 'ledger', title: 'disk full', severity: 'critical' })
    const { client, call } = await connect(t, url, { revision })
    const { tools } = await client.listTools()
    const names = tools.map(({ name }) => name)
    assert.deepEqual(
      names.filter((name) => ['acknowledge', 'silence', 'resolve', 'confirm'].includes(name)),
      [],
    )
    assert.ok(tools.every(({ annotations }) => annotations?.readOnlyHint))
    const { problems } = await admin<ProblemPage>(url, '/api/admin/problems')
    const number = String(problems[0]?.id)
    const given: Record<string, object> = {
      brief: { id: number },
      problem: { id: number },
      explain: { incident: id },
      rehearse: { config: 'routes: []' },
    }
    for (const name of names) {
      const result = await call(name, { ...given[name] })
      assert.notEqual(result.isError, true, `${name}: ${textOf(result)}`)
    }
    const [head, entry] = linesOf(await call('problems', {}))
    assert.equal(head?.firing, 1)
    assert.deepEqual([entry?.id, entry?.state, entry?.title_quoted], [problems[0]?.id, 'firing', 'disk full'])
    const told = linesOf(await call('brief', { id }))
    assert.deepEqual([told[0]?.id, told[0]?.title_quoted], [problems[0]?.id, 'disk full'])
    assert.ok(told.some(({ before }) => before !== undefined))
    assert.match(textOf(await call('problem', { id })), /"content_quoted":"\{\\"ServiceName\\":\\"ledger\\"/)
    const acting = await connect(t, url, { revision, token: ACT })
    assert.equal((await acting.client.listTools()).tools.length, names.length + 4)
  })

async function incident(url: string, payload: object): Promise<string> {
  const answer = await post(url, payload)
  const id = answer.headers.get('x-incident-id') ?? ''
  await until(
    () => admin<ProblemPage>(url, '/api/admin/problems'),
    ({ problems }) => problems.length > 0,
  )
  return id
}
