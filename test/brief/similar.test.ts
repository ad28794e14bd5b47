import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openSimilar } from '../../src/brief/similar.ts'
import { wordsOf } from '../../src/brief/words.ts'

interface Fired {
  readonly problem: number
  readonly title: string
  readonly service?: string
  readonly labels?: { readonly [name: string]: string }
}

const openingOf = ({ problem, title, service = '', labels = {} }: Fired) => ({
  ...{ problem, service },
  words: wordsOf(title, labels),
})

function indexOf(fired: readonly Fired[]) {
  const index = openSimilar()
  fired.forEach((each, at) => {
    index.add({ id: at + 1, ...openingOf(each) })
  })
  const ask = (asked: Fired, limit = 5) => index.nearest(openingOf(asked), limit)
  return {
    ...index,
    ask,
    problems: (asked: Fired, limit?: number) => drained(ask(asked, limit)).map(({ problem }) => problem),
  }
}

function drained<T>(steps: Generator<undefined, T>): T {
  for (;;) {
    const { done, value } = steps.next()
    if (done) return value
  }
}

const OTHERS: readonly Fired[] = Array.from({ length: 50 }, (_, at) => ({
  problem: 1_000 + at,
  title: `unrelated ${String.fromCharCode(97 + (at % 26))}${String.fromCharCode(97 + (at >> 1))}x trouble`,
  service: `other-${at}`,
}))

test('a renamed rule on another host of the service is found', () => {
  const index = indexOf([...OTHERS, { problem: 1, title: 'Disk usage high on db-1', service: 'db' }])
  assert.deepEqual(index.problems({ problem: 2, title: 'HighDiskUsage db-2', service: 'db' }), [1])
})

test('openings of the own problem are left out', () => {
  const index = indexOf([...OTHERS, { problem: 1, title: 'disk full', service: 'db' }])
  assert.deepEqual(index.problems({ problem: 1, title: 'disk full', service: 'db' }), [])
})

test('the same service alone is not similar', () => {
  const index = indexOf([...OTHERS, { problem: 1, title: 'certificate expires', service: 'db' }])
  assert.deepEqual(index.problems({ problem: 2, title: 'disk full', service: 'db' }), [])
})

test('a problem is named once, by its newest opening, and the newer of equal ones first', () => {
  const same = { title: 'disk full', service: 'db' }
  const other = { problem: 4, title: 'other words', service: 'db' }
  const index = indexOf([
    ...OTHERS,
    { problem: 1, ...same },
    { problem: 2, ...same },
    { problem: 1, ...same },
    { ...same, problem: 4 },
    other,
  ])
  const found = drained(index.ask({ problem: 3, ...same }))
  assert.deepEqual(
    found.map(({ id, problem }) => [id, problem]),
    [
      [53, 1],
      [52, 2],
    ],
  )
  assert.equal(found[0]?.score, 1)
})

test('a rare word in common counts more than a frequent one', () => {
  const often = Array.from({ length: 40 }, (_, at) => ({
    problem: 100 + at,
    title: `latency of q${'abcdefgh'[at % 8]}`,
  }))
  const same = { service: 'shop' }
  const index = indexOf([
    ...often,
    { problem: 1, title: 'latency of basket slow', ...same },
    { problem: 2, title: 'checkout of basket slow', ...same },
  ])
  assert.equal(index.problems({ problem: 3, title: 'checkout latency of basket slow', ...same })[0], 2)
})

test('one rare word in common is not enough', () => {
  const index = indexOf([...OTHERS, { problem: 1, title: 'checkout refuses cards' }])
  assert.deepEqual(index.problems({ problem: 2, title: 'checkout pages render slowly' }), [])
})

test('label pairs that no other problem has do not count', () => {
  const labels = { alertname: 'Lag', pod: 'a-1' }
  const index = indexOf([...OTHERS, { problem: 1, title: 'consumer lag', labels: { ...labels, pod: 'b-7' } }])
  assert.equal(drained(index.ask({ problem: 2, title: 'consumer lag', labels }))[0]?.score, 1)
})

test('at most the limit is returned, the best of all', () => {
  const many = Array.from({ length: 30 }, (_, at) => ({
    problem: at + 1,
    title: 'disk full',
    service: at === 7 ? 'db' : '',
  }))
  const index = indexOf([...OTHERS, ...many])
  assert.deepEqual(index.problems({ problem: 99, title: 'disk full', service: 'db' }, 3), [8, 30, 29])
})

test('an opening that was removed is not found, and the others are, whatever the order', () => {
  const many = Array.from({ length: 50_000 }, (_, at) => ({ problem: at + 1, title: 'disk full', service: 'db' }))
  const index = indexOf(many)
  for (let id = 1; id <= 50_000; id++) if (id % 10_000 !== 0) index.remove(id)
  index.remove(77_777)
  assert.deepEqual(
    index.problems({ problem: 99_999, title: 'disk full', service: 'db' }, 9),
    [50_000, 40_000, 30_000, 20_000, 10_000],
  )
})

test('openings may come and go while a question is answered', () => {
  const same = { title: 'disk full', service: 'db' }
  const index = indexOf([{ problem: 1, ...same }, { problem: 2, ...same }, ...OTHERS])
  const steps = index.ask({ problem: 99_999, ...same })
  steps.next()
  index.remove(2)
  for (let id = 100; id < 50_000; id++)
    index.add({ id, ...openingOf({ problem: id, title: 'other words', service: 'x' }) })
  assert.deepEqual(
    drained(steps).map(({ problem }) => problem),
    [1],
  )
})

test('an opening that is added twice is there once', () => {
  const index = indexOf([{ problem: 1, title: 'disk full' }])
  index.add({ id: 1, ...openingOf({ problem: 7, title: 'disk full' }) })
  assert.deepEqual(index.problems({ problem: 2, title: 'disk full' }), [1])
})

test('what has neither words nor labels is similar to nothing', () => {
  assert.deepEqual(
    indexOf([{ problem: 1, title: '500', service: 'db' }]).problems({ problem: 2, title: '404', service: 'db' }),
    [],
  )
})
