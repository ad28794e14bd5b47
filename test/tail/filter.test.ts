import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { TailEvent } from '../../src/domain/event.ts'
import { matches } from '../../src/domain/event-filter.ts'
import { type FilterQuery, filterOf } from '../../src/domain/filter-query.ts'
import { AT, delivery, incident, OTHERS } from './setup.ts'

const EVENTS: { readonly [name: string]: TailEvent } = {
  incident: incident('Disk full'),
  warning: incident('Disk filling', 'warning'),
  chat: delivery('Disk full'),
  mail: delivery('Disk full', { channel: 'email', detail: '550 no such mailbox' }),
  ...OTHERS,
  stats: { kind: 'stats', at: AT, stats: {} },
}

const QUERIES: readonly (readonly [query: FilterQuery, names: string])[] = [
  [{}, 'incident warning chat mail oncall agent digest stats'],
  [{ kinds: 'incident,oncall' }, 'incident warning oncall'],
  [{ kinds: ['stats'] }, 'stats'],
  [{ channel: 'email' }, 'mail stats'],
  [{ channel: 'chatws' }, 'chat digest stats'],
  [{ q: 'digest 17' }, 'digest stats'],
  [{ severity: 'Critical' }, 'incident chat mail oncall stats'],
  [{ severity: 'critical', kinds: 'incident' }, 'incident'],
  [{ q: 'NO SUCH' }, 'mail stats'],
  [{ q: 'p1', kinds: 'agent' }, 'agent'],
  [{ q: ' ', channel: '', severity: [], kinds: '' }, 'incident warning chat mail oncall agent digest stats'],
]

for (const [query, names] of QUERIES) {
  test(`${JSON.stringify(query)} lets ${names} pass`, () => {
    const filter = filterOf(query)
    const seen = Object.keys(EVENTS).filter((name) => matches(filter, EVENTS[name] as TailEvent))
    assert.equal(seen.join(' '), names)
  })
}

test('equal queries in other words are the same filter', () => {
  const one = filterOf({ kinds: 'delivery,incident', severity: 'b,A', channel: ['email', 'chatws'] })
  const other = filterOf({ channel: 'chatws, email', severity: ['a', 'B', 'a'], kinds: ['incident', 'delivery'] })
  assert.equal(JSON.stringify(one), JSON.stringify(other))
})

const BAD: readonly (readonly [query: FilterQuery, message: RegExp])[] = [
  [{ kinds: 'incidents' }, /kinds must be one or more of incident, delivery/],
  [{ channel: 'slack' }, /channel must be one or more of chatws/],
  [{ channel: 7 }, /channel must be text/],
  [{ severity: 'x'.repeat(33) }, /at most 32/],
  [{ severity: Array.from({ length: 17 }, (_, n) => `s${n}`) }, /more than 16/],
  [{ q: {} }, /q must be text/],
  [{ q: 'x'.repeat(201) }, /at most 200/],
]
for (const [query, message] of BAD) {
  test(`${JSON.stringify(query).slice(0, 60)} is refused`, () => {
    assert.throws(() => filterOf(query), { code: 'bad_parameter', message })
  })
}
