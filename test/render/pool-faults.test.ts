import assert from 'node:assert/strict'
import { once } from 'node:events'
import { test } from 'node:test'
import type { Worker } from 'node:worker_threads'
import type { Rendered } from '../../src/render/pool.ts'
import { given, item, items } from './pool-given.ts'

const RUNAWAY =
  'no. {{.n}}{{ range .rows }}{{ range $.rows }}{{ range $.rows }}{{ range $.rows }}{{ end }}{{ end }}{{ end }}{{ end }}'
const rows = Array.from({ length: 1_000 }, (_, n) => n)
const runaway = item({ n: 'runaway', rows })

const textsOf = (rendered: readonly Rendered[]) => rendered.map(({ text }) => text)

/** Threads that are started while `run` runs. */
async function threadsOf<T>(run: (threads: Worker[]) => Promise<T>): Promise<T> {
  const threads: Worker[] = []
  const add = (thread: Worker) => threads.push(thread)
  process.on('worker', add)
  try {
    return await run(threads)
  } finally {
    process.off('worker', add)
  }
}

test('a template that throws costs its own message only', async () => {
  const { pool, faults } = given({
    chat: '{{ define "r" }}{{ template "r" . }}{{ end }}fine {{.n}}{{ if eq .n 1 }}{{ template "r" . }}{{ end }}',
  })
  const [first, second, third] = await pool.render('chat', items(3))
  assert.deepEqual([first?.text, third?.text], ['fine 0', 'fine 2'])
  assert.match(second?.text ?? '', /Disk full/)
  assert.match(second?.fault ?? '', /^template_failed: chat\.tmpl:1:/)
  assert.deepEqual(faults, [`chat ${second?.fault}`])
})

test('a template that prints without end fails with what it printed', async () => {
  const { pool } = given({ chat: '{{ range .rows }}{{ range $.rows }}{{ $.text }}{{ end }}{{ end }}' })
  const [rendered] = await pool.render('chat', [item({ rows, text: 'x'.repeat(1_000) })])
  assert.match(rendered?.fault ?? '', /^template_output: /)
})

test('a runaway item is cut off and its neighbours keep their texts', async () => {
  const { pool, faults } = given({ chat: RUNAWAY, deadlineMs: 200 })
  const batch = [...items(5), runaway, ...items(5)]
  const rendered = await pool.render('chat', batch)
  const expected = batch.map((each) =>
    each === runaway ? rendered[5]?.text : `no. ${JSON.parse(`${each.content}`).n}`,
  )
  assert.deepEqual(textsOf(rendered), expected)
  assert.match(rendered[5]?.text ?? '', /Disk full/)
  assert.match(rendered[5]?.fault ?? '', /^template_deadline: .*200 ms/)
  assert.equal(faults.length, 1)
  assert.deepEqual(textsOf(await pool.render('chat', items(2))), ['no. 0', 'no. 1'])
})

test('a channel whose every message runs away does not hold up the others', async () => {
  const { pool } = given({ chat: RUNAWAY, mail: '{{.n}}', deadlineMs: 100 })
  const order: string[] = []
  const slow = pool.render('chat', Array(200).fill(runaway)).then((rendered) => {
    order.push('chat')
    return rendered
  })
  const quick = pool.render('mail', items(200)).then((rendered) => {
    order.push('mail')
    return rendered
  })
  assert.deepEqual(
    textsOf(await quick),
    Array.from({ length: 200 }, (_, n) => `${n}`),
  )
  for (const { text, fault } of await slow) {
    assert.match(text, /Disk full/)
    assert.match(fault ?? '', /^template_deadline: /)
  }
  assert.deepEqual(order, ['mail', 'chat'])
})

test('a template that eats memory ends its thread and not the process', async () => {
  const hoard =
    '{{ $d := dict }}{{ range .rows }}{{ range $.rows }}{{ $d = dict "a" $d "b" (upper (printf "%09999d" .)) }}{{ end }}{{ end }}x'
  const { pool } = given({ chat: hoard, deadlineMs: 60_000 })
  const rendered = await pool.render('chat', [item({ n: 1 }), item({ rows }), item({ n: 2 })])
  assert.deepEqual([rendered[0]?.text, rendered[2]?.text], ['x', 'x'])
  assert.match(rendered[1]?.fault ?? '', /^template_failed: .*memory/)
})

test('threads that are killed under load lose nothing', async () => {
  await threadsOf(async (threads) => {
    const { pool } = given({ chat: 'no. {{.n}}', threads: 2 })
    const all = pool.render('chat', items(5_000))
    for (let killed = 0; killed < 6; killed++) {
      const [thread] = threads.splice(0, 1)
      if (!thread) break
      await once(thread, 'message')
      const ended = once(thread, 'exit')
      await thread.terminate()
      await ended
    }
    const rendered = await all
    assert.deepEqual(
      textsOf(rendered),
      Array.from({ length: 5_000 }, (_, n) => `no. ${n}`),
    )
  })
})

test('a pool whose idle thread was killed starts another', async () => {
  await threadsOf(async (threads) => {
    const { pool } = given({ chat: 'no. {{.n}}' })
    await pool.render('chat', items(1))
    await Promise.all(threads.map((thread) => thread.terminate()))
    assert.deepEqual(textsOf(await pool.render('chat', items(1))), ['no. 0'])
  })
})
