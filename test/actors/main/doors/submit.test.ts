import assert from 'node:assert/strict'
import test from 'node:test'
import { createDoorSubmit } from '../../../../actors/main/doors/submit.ts'
import type { Intake, Submitted } from '../../../../src/http/contract.ts'
import { ManualClock } from '../../../harness/manual-clock.ts'

/** Ingest that gives the answers of `submitted`, the last one for ever. */
function setup(submitted: readonly Submitted[]) {
  const clock = new ManualClock()
  const asked: { intake: Intake; body: string }[] = []
  const submit = createDoorSubmit({
    clock,
    submit(intake, body) {
      asked.push({ intake, body: Buffer.from(body).toString() })
      return submitted[Math.min(asked.length, submitted.length) - 1] as Submitted
    },
  })
  return { clock, asked, submit }
}

const INTAKE = { source: 'alertmanager', key: 'k' } as const

test('a door resolves once its incidents are on disk: one as an object, several as a list', async () => {
  const { asked, submit } = setup(['taken'])
  const one = submit(INTAKE, [{ a: 1 }])
  const two = submit({ source: 'opsgenie' }, [{ a: 1 }, { a: 2 }])
  assert.deepEqual(
    asked.map(({ intake: { source, key }, body }) => [source, key, body]),
    [
      ['alertmanager', 'k', '{"a":1}'],
      ['opsgenie', undefined, '[{"a":1},{"a":2}]'],
    ],
  )
  asked[0]?.intake.answer({ kind: 'duplicate', id: 'i-1' })
  asked[1]?.intake.answer({ kind: 'created', id: 'i-2', count: 2 })
  assert.deepEqual(await one, { id: 'i-1' })
  assert.deepEqual(await two, { id: 'i-2' })
})

test('a refusal of the journal and one of ingest are errors with their code', async () => {
  const { asked, submit } = setup(['taken', 'storage_down'])
  const refused = submit(INTAKE, [{}])
  asked[0]?.intake.answer({ kind: 'refused', code: 'storage_full' })
  await assert.rejects(refused, { code: 'storage_full' })
  await assert.rejects(submit(INTAKE, [{}]), { code: 'storage_down' })
})

test('while ingest is full a door waits for room, 3 s at most, and 64 requests at a time', async () => {
  const { clock, asked, submit } = setup(['ingest_full', 'ingest_full', 'taken'])
  const waited = submit(INTAKE, [{}])
  clock.advance(50)
  await Promise.resolve()
  clock.advance(50)
  await new Promise(setImmediate)
  asked.at(-1)?.intake.answer({ kind: 'created', id: 'i-1' })
  assert.deepEqual(await waited, { id: 'i-1' })

  const full = setup(['ingest_full'])
  const waiting = Array.from({ length: 64 }, () => full.submit(INTAKE, [{}]))
  const ended = Promise.allSettled(waiting)
  await assert.rejects(full.submit(INTAKE, [{}]), { code: 'ingest_full' })
  for (let waitedMs = 0; waitedMs <= 3_000; waitedMs += 50) {
    full.clock.advance(50)
    await new Promise(setImmediate)
  }
  const codes = (await ended).map((each) => each.status === 'rejected' && each.reason.code)
  assert.deepEqual([...new Set(codes)], ['ingest_full'])
})
