import assert from 'node:assert/strict'
import { test } from 'node:test'
import { channelWith, item, items, RUNAWAY, rows, runaway, setup, template, textsOf } from './setup.ts'

const THROWS = '{{ define "r" }}{{ template "r" . }}{{ end }}fine {{.n}}{{ if eq .n 1 }}{{ template "r" . }}{{ end }}'

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
