import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import type { Worker } from 'node:worker_threads'
import { item, items, RUNAWAY, rows, runaway, setup, template, textsOf } from '../render/pool/setup.ts'

/** Terminates the next `count` threads as soon as each is up. `killed` returns how many. */
function killNext(count: number) {
  let killed = 0
  const watch = (thread: Worker) => {
    if (killed === count) return
    killed++
    thread.once('message', () => void thread.terminate())
  }
  process.on('worker', watch)
  after(() => process.off('worker', watch))
  return { killed: () => killed, stop: () => process.off('worker', watch) }
}

test('a channel whose every message runs away does not hold up the others', async () => {
  const { pool } = setup({ templates: [template('chat', RUNAWAY), template('mail', '{{.n}}')], deadlineMs: 300 })
  const order: string[] = []
  const slow = pool.render('chat', Array(10).fill(runaway)).then((rendered) => {
    order.push('chat')
    return rendered
  })
  const quick = pool.render('mail', items(100)).then((rendered) => {
    order.push('mail')
    return rendered
  })
  assert.deepEqual(
    textsOf(await quick),
    Array.from({ length: 100 }, (_, n) => `${n}`),
  )
  for (const { text, failure } of await slow) {
    assert.match(text, /Disk full/)
    assert.match(failure ?? '', /^template_deadline: /)
  }
  assert.deepEqual(order, ['mail', 'chat'])
})

test('a template that eats memory ends its thread and not the process', async () => {
  const hoard =
    '{{ $d := dict }}{{ range .rows }}{{ range $.rows }}{{ $d = dict "a" $d "b" (upper (printf "%09999d" .)) }}{{ end }}{{ end }}x'
  const { pool } = setup({ templates: [template('chat', hoard)], deadlineMs: 60_000 })
  const rendered = await pool.render('chat', [item({ n: 1 }), item({ rows }), item({ n: 2 })])
  assert.deepEqual([rendered[0]?.text, rendered[2]?.text], ['x', 'x'])
  assert.match(rendered[1]?.failure ?? '', /^template_failed: .*memory/)
})

test('when no thread stays up, the messages go out as plain text', async () => {
  const { stop } = killNext(Number.POSITIVE_INFINITY)
  const { pool } = setup({ templates: [template('chat', RUNAWAY)], deadlineMs: 60_000 })
  for (const { text, failure } of await pool.render('chat', [runaway, runaway, runaway])) {
    assert.match(text, /Disk full/)
    assert.match(failure ?? '', /^template_failed: the thread ended/)
  }
  stop()
  assert.deepEqual(textsOf(await pool.render('chat', items(1))), ['no. 0'])
})
