import assert from 'node:assert/strict'
import { test } from 'node:test'
import { recognise } from '../../../src/intake/recognise.ts'
import { SAMPLES } from '../../../src/render/samples/samples.ts'
import { sampleWarnings } from '../../../src/render/templates/check-warnings.ts'
import { item, PLAIN, setup, template } from './setup.ts'

const SHORT = { ...PLAIN, limit: { max: 100, unit: 'utf16' } } as const

async function listOf(warnings: AsyncIterable<string>): Promise<string[]> {
  const list: string[] = []
  for await (const warning of warnings) list.push(warning)
  return list
}

test('samples that fail, take too long, print nothing or are too long yield warnings', async () => {
  const text =
    '{{.text}}{{ if .recurse }}{{ template "r" . }}{{ end }}{{ define "r" }}{{ template "r" . }}{{ end }}' +
    '{{ range .rows }}{{ range $.rows }}{{ range $.rows }}{{ range $.rows }}{{ end }}{{ end }}{{ end }}{{ end }}'
  const { pool } = setup({ templates: [template('chat', text, SHORT)], deadlineMs: 500 })
  const warnings = await listOf(
    sampleWarnings(pool, recognise, [
      { name: 'good', payload: { text: 'fine' } },
      { name: 'recursive', payload: { recurse: true } },
      { name: 'slow', payload: { rows: Array.from({ length: 1_000 }, (_, n) => n) } },
      { name: 'long', payload: { text: 'x'.repeat(200) } },
      { name: 'nothing', payload: {} },
    ]),
  )
  assert.match(warnings[0] ?? '', /^chat\.tmpl: the sample "recursive" failed: /)
  assert.match(warnings[1] ?? '', /^chat\.tmpl: the sample "slow" failed: rendering took longer than 500 ms/)
  assert.match(warnings[2] ?? '', /^chat\.tmpl: .*"long" is too long/)
  assert.match(warnings[3] ?? '', /^chat\.tmpl: prints nothing for the sample "nothing"/)
  assert.equal(warnings.length, 4)
})

test('a template that prints a text for every built-in sample yields no warning', async () => {
  const { pool } = setup({ templates: [template('chat', 'incident')] })
  assert.deepEqual(await listOf(sampleWarnings(pool, recognise)), [])
})

test('an item waits for at most one sample', async () => {
  const { pool } = setup({ templates: [template('chat', 'no. {{.n}}')] })
  let tried = 0
  const trying = (async () => {
    for await (const _ of counted()) tried++
  })()
  async function* counted() {
    for (const { payload } of SAMPLES) yield await pool.renderSample('chat', item(payload))
  }
  const [first] = await pool.render('chat', [item({ n: 1 })])
  assert.equal(first?.text, 'no. 1')
  assert.ok(tried <= 1, `${tried} samples went before the item`)
  await trying
})

test('a closed pool ends the samples', async () => {
  const { pool } = setup({ templates: [template('chat', 'incident')] })
  const trying = listOf(sampleWarnings(pool, recognise))
  await Promise.all([assert.rejects(trying, { code: 'shutting_down' }), pool.close()])
})
