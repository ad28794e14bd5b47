import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import type { RequestResult } from '../../../actors/messages/ingest-journal.ts'
import type { FrameRequest } from '../../../src/domain/frame.ts'
import type { IntakeAnswer } from '../../../src/http/contract.ts'
import { idOf, setup } from './setup.ts'

const RESULTS: readonly RequestResult[] = [
  { kind: 'created' },
  { kind: 'created' },
  { kind: 'duplicate', id: 'earlier' },
  { kind: 'refused', code: 'backlog_full' },
]
const submission = fc.record({
  kind: fc.constant('submit' as const),
  incidents: fc.integer({ min: 1, max: 4 }),
  format: fc.constantFrom('json' as const, 'ndjson' as const),
  padding: fc.constantFrom(0, 10, 5_000, 70_000, 300_000),
  keyed: fc.boolean(),
  valid: fc.integer({ min: 0, max: 5 }).map((n) => n > 0),
})
const step = fc.oneof(
  { weight: 8, arbitrary: submission },
  { weight: 2, arbitrary: fc.constant({ kind: 'turn' as const }) },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('commit' as const),
      results: fc.array(fc.nat(RESULTS.length - 1), { minLength: 1 }),
    }),
  },
  { weight: 1, arbitrary: fc.constant({ kind: 'lose' as const }) },
)

/** One request that was taken. */
interface Asked {
  readonly texts: readonly string[]
  readonly answers: readonly IntakeAnswer[]
}

test('in any order of events each request is answered once, with the id under which its incidents are stored', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 120 }), fc.integer({ min: 1, max: 3 }), (steps, window) => {
      const front = setup({ window })
      const asked: Asked[] = []
      const stored = new Map<string, string>()

      function submit({
        incidents,
        format,
        padding,
        keyed,
        valid,
      }: typeof submission extends fc.Arbitrary<infer T> ? T : never) {
        const texts = Array.from({ length: incidents }, (_, nth) => `{"request":${asked.length},"nth":${nth}}`)
        texts[0] = `{"x":"${'x'.repeat(padding)}",${texts[0]?.slice(1)}`
        const body = format === 'json' ? `[${texts.join(' , ')}]` : texts.join('\n')
        const fields = { format, ...(keyed ? { key: 'k' } : {}) }
        if (valid) asked.push({ texts, answers: front.ask(body, fields) })
        else assert.equal(front.submit(`${body}]`, fields), 'invalid')
      }

      function commit(results: readonly number[]) {
        const kinds = (requests: readonly FrameRequest[]) =>
          requests.map((_, nth) => RESULTS[results[nth % results.length] as number] as RequestResult)
        let number = front.journal.nextNumber
        for (const requests of front.commitSent(kinds))
          kinds(requests).forEach((result, nth) => {
            if (result.kind !== 'created') return
            for (const { body } of requests[nth]?.incidents ?? [])
              stored.set(idOf(number++), Buffer.from(body).toString())
          })
      }

      for (const each of steps) {
        if (each.kind === 'submit') submit(each)
        if (each.kind === 'turn') front.pass()
        if (each.kind === 'commit') commit(each.results)
        if (each.kind === 'lose') {
          front.offer({ kind: 'peer', up: false })
          front.pass()
        }
      }
      front.pass()
      for (let tries = 0; front.ingest.inflight > 0; tries++) {
        assert.ok(tries < 1_000, 'requests are never committed')
        commit([0])
      }
      for (const { texts, answers } of asked) {
        assert.equal(answers.length, 1)
        const [answer] = answers
        if (answer?.kind !== 'created') continue
        assert.equal(answer.count, texts.length)
        const first = Number.parseInt(answer.id.slice(-12), 16)
        assert.deepEqual(
          texts.map((_, nth) => stored.get(idOf(first + nth))),
          texts,
        )
      }
      assert.deepEqual(front.failures, [])
    }),
    { numRuns: 80 },
  )
})
