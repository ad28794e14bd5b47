import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { type FakeClient, incidents, setup } from './setup.ts'

type Step =
  | { readonly kind: 'happens'; readonly count: number }
  /** Events that the publishers could not send. */
  | { readonly kind: 'lost'; readonly count: number }
  | { readonly kind: 'reads'; readonly texts: number }
  | { readonly kind: 'comes back' }
  | { readonly kind: 'deaf' | 'attentive' }

const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({ kind: fc.constant('happens' as const), count: fc.integer({ min: 1, max: 900 }) }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('lost' as const), count: fc.integer({ min: 1, max: 50 }) }) },
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('reads' as const), texts: fc.integer({ min: 1, max: 4 }) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('comes back' as const) }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constantFrom('deaf' as const, 'attentive' as const) }) },
)

test('for any client, each event arrives once and in order, or is counted as missed', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      const { hub, join, publish } = setup()
      let { client, subscription } = join()
      const heard: FakeClient[] = []
      let happened = 0
      const read = (texts: number) => {
        for (let n = 0; n < texts && client.held.length > 0; n++) client.readOne()
        subscription.drained()
      }
      for (const each of steps) {
        if (each.kind === 'happens') {
          publish(...incidents(each.count, happened + 1))
          happened += each.count
        } else if (each.kind === 'lost') {
          hub.accept([], each.count)
          hub.flush()
          happened += each.count
        } else if (each.kind === 'reads') read(each.texts)
        else if (each.kind === 'comes back') {
          client.held = []
          client.topics.clear()
          subscription.leave()
          heard.push(client)
          ;({ client, subscription } = join({ after: lastId(heard) }))
        } else client.reads = each.kind === 'attentive' && client.held.length === 0
      }
      while (client.held.length > 0) read(1)
      publish(...incidents(1, happened + 1))
      while (client.held.length > 0) read(1)
      const lines = [...heard, client].flatMap((one) => one.lines)
      const titles = lines.flatMap(({ incident }) => (incident ? Number(incident.title) : []))
      assert.deepEqual(
        titles,
        [...new Set(titles)].sort((a, b) => a - b),
      )
      const missed = lines.reduce((sum, line) => sum + (line.count ?? 0) + (line.missed ?? 0), 0)
      assert.equal(titles.length + missed, happened + 1)
    }),
    { numRuns: 50 },
  )
})

/** The id of the last event that was read; before the first one, the id at which the first connection began. */
function lastId(clients: readonly FakeClient[]): string {
  const lines = clients.flatMap((client) => client.lines)
  return lines.findLast(({ id }) => id !== undefined)?.id ?? lines[0]?.last_id ?? ''
}
