import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import type { Worker } from 'node:worker_threads'
import type { Rendered } from '../../../src/render/pool/pool.ts'
import { channelWith, item, items, setup, template } from './setup.ts'

const RUNAWAY =
  'no. {{.n}}{{ range .rows }}{{ range $.rows }}{{ range $.rows }}{{ range $.rows }}{{ end }}{{ end }}{{ end }}{{ end }}'
const THROWS = '{{ define "r" }}{{ template "r" . }}{{ end }}fine {{.n}}{{ if eq .n 1 }}{{ template "r" . }}{{ end }}'
const rows = Array.from({ length: 1_000 }, (_, n) => n)
const runaway = item({ n: 'runaway', rows })

const textsOf = (rendered: readonly Rendered[]) => rendered.map(({ text }) => text)

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

test('a template that throws affects only its own message', async () => {
  const { pool, failures } = setup({ templates: [template('chat', THROWS)] })
  const [first, second, third] = await pool.render('chat', items(3))
  assert.deepEqual([first?.text, third?.text], ['fine 0', 'fine 2'])
  assert.match(second?.text ?? '', /Disk full/)
  assert.match(second?.failure ?? '', /^template_failed: chat\.tmpl:1:/)
  assert.deepEqual(failures, [`chat ${second?.failure}`])
})

test('a template that prints without end fails with what it printed', async () => {
  const channel = await channelWith('{{ range .rows }}{{ range $.rows }}{{ $.text }}{{ end }}{{ end }}')
  const [rendered] = await channel.render([item({ rows, text: 'x'.repeat(1_000) })])
  assert.match(rendered?.failure ?? '', /^template_output: /)
})

test('a runaway item is cut off and its neighbours keep their texts', async () => {
  const { pool, failures } = setup({ templates: [template('chat', RUNAWAY)], deadlineMs: 500 })
  const batch = [...items(5), runaway, ...items(5)]
  const rendered = await pool.render('chat', batch)
  const expected = batch.map((each) =>
    each === runaway ? rendered[5]?.text : `no. ${JSON.parse(`${each.content}`).n}`,
  )
  assert.deepEqual(textsOf(rendered), expected)
  assert.match(rendered[5]?.text ?? '', /Disk full/)
  assert.match(rendered[5]?.failure ?? '', /^template_deadline: .*500 ms/)
  assert.equal(failures.length, 1)
  assert.deepEqual(textsOf(await pool.render('chat', items(2))), ['no. 0', 'no. 1'])
})

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

test('no message is lost when threads are killed under load', async () => {
  const { killed } = killNext(3)
  const { pool } = setup({ templates: [template('chat', 'no. {{.n}}')], threads: 2 })
  const rendered = await pool.render('chat', items(2_000))
  assert.deepEqual(
    textsOf(rendered),
    Array.from({ length: 2_000 }, (_, n) => `no. ${n}`),
  )
  assert.equal(killed(), 3)
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
