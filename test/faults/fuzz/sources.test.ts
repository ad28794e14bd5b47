import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { admin } from '../../harness/net/requests.ts'
import { until } from '../../harness/until.ts'
import { holdsFor } from '../campaign.ts'
import { assertBounded, startVictim } from '../victim.ts'
import { answerOf, startBadServer } from './bad-server.ts'
import { tree, word } from './hostile.ts'

const maybe = <T>(arbitrary: fc.Arbitrary<T>) => fc.oneof({ weight: 3, arbitrary }, { weight: 1, arbitrary: tree })
const moment = fc.oneof(
  fc.integer({ min: -1, max: 10 }).map((seconds) => String(BigInt(Date.now() - seconds * 1_000) * 1_000_000n)),
  fc.constantFrom('0', '9'.repeat(25), '-1', '1e999', '__proto__'),
)
const deep = `${'{"a":'.repeat(10_000)}1${'}'.repeat(10_000)}`

/** Generates answers of Loki, with hostile values in any place. */
const loki = fc.oneof(
  maybe(
    fc.record({
      status: fc.constant('success'),
      data: maybe(
        fc.record({
          resultType: fc.constantFrom('streams', 'matrix'),
          result: maybe(
            fc.array(
              fc.record({
                stream: maybe(fc.dictionary(word, word, { maxKeys: 4 })),
                values: maybe(fc.array(fc.tuple(maybe(moment), maybe(word)), { maxLength: 20 })),
              }),
              { maxLength: 5 },
            ),
          ),
        }),
      ),
    }),
  ).map((value) => JSON.stringify(value)),
  fc.constant(`{"data":{"result":[{"stream":${deep},"values":[["${Date.now() - 3_000}000000","error"]]}]}}`),
)

/** Generates answers of Elasticsearch, with hostile values in any place. */
const elastic = fc.oneof(
  maybe(
    fc.record({
      hits: maybe(
        fc.record({
          hits: maybe(
            fc.array(
              fc.record({
                _id: maybe(word),
                sort: maybe(fc.tuple(maybe(moment))),
                _source: maybe(fc.record({ message: maybe(word), '@timestamp': tree }, { requiredKeys: [] })),
              }),
              { maxLength: 20 },
            ),
          ),
        }),
      ),
    }),
  ).map((value) => JSON.stringify(value)),
  fc.constant(`{"hits":{"hits":[{"_id":"a","sort":[${Date.now() - 4_000}],"_source":{"message":${deep}}}]}}`),
)

const SECRET_OF_SOURCE = 'the secret of the source'

interface Status {
  readonly sources: readonly { readonly name: string; readonly last_error: string | null }[]
}

test('after any answer of Loki and Elasticsearch the agent asks again, and the service goes on', async (t) => {
  const [first, second] = [await startBadServer(t, { ends: true }), await startBadServer(t, { ends: true })]
  const victim = await startVictim(t, {
    agent: {
      enable: true,
      mode: 'detect',
      poll_interval: '50ms',
      new_service_grace: '0s',
      regex: { default_pattern: '.*' },
      sources: [
        {
          name: 'loki',
          type: 'loki',
          enable: true,
          loki: { address: first.url, query: '{app="x"}', token: SECRET_OF_SOURCE },
        },
        {
          name: 'es',
          type: 'elasticsearch',
          enable: true,
          elasticsearch: { addresses: [second.url], index: 'logs-*', api_key: SECRET_OF_SOURCE },
        },
      ],
    },
  })
  const before = victim.rss()
  await holdsFor(t, { share: 0.06, arbitrary: fc.tuple(answerOf(loki), answerOf(elastic)) }, async ([one, other]) => {
    Object.assign(first, { next: one })
    Object.assign(second, { next: other })
    const asked = [first.asked, second.asked] as const
    await until(
      () => [first.asked, second.asked] as const,
      ([a, b]) => a > asked[0] && b > asked[1],
    )
  })
  const good = { status: 200, headers: [], raw: null, cut: null, mail: [] }
  first.next = { ...good, body: Buffer.from('{"data":{"result":[]}}') }
  second.next = { ...good, body: Buffer.from('{"hits":{"hits":[]}}') }
  const status = () => admin<Status>(victim.url, '/api/agent/status')
  const asked = first.asked + second.asked
  await until(() => first.asked + second.asked > asked + 6)
  const shown = JSON.stringify(await status())
  assert.ok(!`${shown}${victim.output()}`.includes(SECRET_OF_SOURCE), shown)
  await victim.assertSound()
  assertBounded(before, victim.rss())
})
