import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import type { Received, Reply } from '../../src/simulator/exchange.ts'
import { startStandIn } from '../harness/providers.ts'
import { forever, PLAN, pageOf, providerAt } from './setup.ts'

interface Started {
  readonly clientToken: string
  readonly responsePlanArn: string
  readonly title: string
  readonly impact: number
  readonly triggerDetails: { readonly source: string; readonly timestamp: number; readonly rawData: string }
  readonly relatedItems: readonly {
    readonly title: string
    readonly identifier: { readonly value: { readonly url: string } }
  }[]
}
const started = ({ json }: Received) => json as Started

/** Incident Manager with a memory: open incidents by the source that started them, listed two at a time. */
async function manager(t: TestContext) {
  const standIn = await startStandIn(t, 'aws_incident_manager')
  const open = new Map<string, string>()
  const sourceOf = (arn: unknown) => [...open].find(([, each]) => each === arn)?.[0] ?? ''
  const answerTo = ({ path, json }: Received): Reply | undefined => {
    if (path === '/startIncident') {
      const incidentRecordArn = `arn:aws:ssm-incidents::111122223333:incident-record/plan/${open.size + 1}`
      open.set(started({ json } as Received).triggerDetails.source, incidentRecordArn)
      return { body: { incidentRecordArn } }
    }
    if (path === '/updateIncidentRecord') open.delete(sourceOf((json as { arn: string }).arn))
    if (path !== '/listIncidentRecords') return undefined
    const from = Number((json as { nextToken?: string }).nextToken ?? 0)
    const all = Array.from(open, ([source, arn]) => ({ arn, incidentRecordSource: { source, createdBy: 'arn' } }))
    const nextToken = from + 2 < all.length ? String(from + 2) : undefined
    return { body: { incidentRecordSummaries: all.slice(from, from + 2), nextToken } }
  }
  standIn.script = answerTo
  const provider = await providerAt('aws_incident_manager', standIn)
  const calls = (path: string) => standIn.requests.filter((request) => request.path === path)
  return { provider, standIn, calls, answerTo, open }
}

test('a page starts one incident of the response plan, signed for the region', async (t) => {
  const warned = t.mock.method(console, 'warn')
  const { provider, calls } = await manager(t)
  const outcome = await provider.send(pageOf(), forever)
  assert.deepEqual(outcome, { kind: 'sent', messageId: 'arn:aws:ssm-incidents::111122223333:incident-record/plan/1' })
  const [request] = calls('/startIncident')
  assert.ok(request)
  const { responsePlanArn, title, impact, clientToken, triggerDetails, relatedItems } = started(request)
  assert.deepEqual([responsePlanArn, title, impact, clientToken], [`${PLAN}main`, 'Checkout is slow', 1, pageOf().id])
  assert.deepEqual(JSON.parse(triggerDetails.rawData).content, { shard: 7 })
  assert.ok(triggerDetails.source.length <= 50 && !triggerDetails.source.startsWith('aws.'))
  assert.deepEqual(
    relatedItems.map((item) => [item.title, item.identifier.value.url]),
    [
      ['Acknowledge', `https://tocsin.example.test/api/ack/${pageOf().id}`],
      ['Incident', `https://tocsin.example.test/#/incidents/${pageOf().id}`],
    ],
  )
  assert.equal(warned.mock.callCount(), 0, 'the AWS client has nothing to complain about')
  assert.match(String(request.headers.authorization), /AKIATEST\/\d{8}\/eu-north-1\/ssm-incidents\/aws4_request/)
})

test('a repeated page starts no second incident, and its signals reach the one that is open', async (t) => {
  const { provider, calls, open } = await manager(t)
  for (const fingerprint of ['a', 'b', 'c']) await provider.send(pageOf({ fingerprint }), forever)
  const again = await provider.send(pageOf({ fingerprint: 'c', id: 'another' }), forever)
  assert.equal(again.kind === 'sent' && again.note, 'it has an open incident')
  assert.equal(calls('/startIncident').length, 3)
  assert.equal(
    (await provider.send(pageOf({ fingerprint: 'c', signal: 'acknowledge', by: 'Ada' }), forever)).kind,
    'sent',
  )
  const [event] = calls('/createTimelineEvent')
  assert.ok(event)
  const { incidentRecordArn, eventData } = event.json as { incidentRecordArn: string; eventData: string }
  assert.match(incidentRecordArn, /plan\/3$/)
  assert.equal(eventData, '"Acknowledged by Ada"')
  assert.equal((await provider.send(pageOf({ fingerprint: 'c', signal: 'resolve' }), forever)).kind, 'sent')
  assert.deepEqual(
    [...open.values()].map((arn) => arn.at(-1)),
    ['1', '2'],
  )
  const none = await provider.send(pageOf({ fingerprint: 'c', signal: 'resolve' }), forever)
  assert.equal(none.kind === 'sent' && none.note, 'it has no open incident')
  await provider.send(pageOf({ fingerprint: 'c' }), forever)
  assert.equal(calls('/startIncident').length, 4, 'what fires again after its end pages again')
})

test('a search that is refused holds up no page; a resolution waits for it', async (t) => {
  const { provider, standIn, answerTo } = await manager(t)
  const denied = { status: 403, body: { __type: 'AccessDeniedException', message: 'not allowed to list' } }
  standIn.script = (request) => (request.path === '/listIncidentRecords' ? denied : answerTo(request))
  assert.equal((await provider.send(pageOf(), forever)).kind, 'sent')
  const refused = await provider.send(pageOf({ signal: 'resolve' }), forever)
  assert.ok(refused.kind === 'failed' && /AccessDeniedException: not allowed to list/.test(refused.reason))
})

test('errors of the service keep their name and are tried again where they may pass', async (t) => {
  const { provider, standIn, answerTo } = await manager(t)
  const outcomes: string[] = []
  for (const [status, type] of [
    [429, 'ThrottlingException'],
    [409, 'ConflictException'],
    [400, 'ValidationException'],
    [404, 'ResourceNotFoundException'],
    [500, 'InternalServerException'],
  ] as const) {
    const body = { message: `about ${type}` }
    const headers = { 'x-amzn-errortype': type }
    standIn.script = (request) => (request.path === '/startIncident' ? { status, headers, body } : answerTo(request))
    const outcome = await provider.send(pageOf(), forever)
    assert.ok(outcome.kind !== 'sent' && outcome.reason.includes(`${type}: about ${type}`), JSON.stringify(outcome))
    outcomes.push(outcome.kind)
  }
  assert.deepEqual(outcomes, ['retry', 'retry', 'failed', 'failed', 'retry'])
})

test('an answer without the incident is a retry that may duplicate', async (t) => {
  const { provider, standIn, answerTo } = await manager(t)
  for (const body of ['<html>please log in</html>', '{}']) {
    standIn.script = (request) => (request.path === '/startIncident' ? { body } : answerTo(request))
    const outcome = await provider.send(pageOf(), forever)
    assert.ok(outcome.kind === 'retry' && outcome.mayDuplicate, JSON.stringify(outcome))
    assert.doesNotMatch(outcome.reason, /SyntaxError/)
  }
})

test('another response plan is chosen by name, and an unknown name is final', async (t) => {
  const { provider, calls } = await manager(t)
  assert.equal((await provider.send(pageOf({ target: 'dba' }), forever)).kind, 'sent')
  assert.equal((await provider.send(pageOf({ target: 'nobody' }), forever)).kind, 'failed')
  assert.deepEqual(
    calls('/startIncident').map((request) => started(request).responsePlanArn),
    [`${PLAN}other`],
  )
})
