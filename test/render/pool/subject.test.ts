import assert from 'node:assert/strict'
import { test } from 'node:test'
import { channelWith, item, MAIL } from './setup.ts'

async function mail(text: string, payload: unknown): Promise<{ text: string; subject?: string | undefined }> {
  const [rendered] = await (await channelWith(text, MAIL)).render([item(payload)])
  assert.equal(rendered?.failure, undefined)
  return { text: rendered?.text ?? '', subject: rendered?.subject }
}

const FORGED = { n: 'a\r\nBcc: x@example.net\r\n\r\nforged', list: [1] }

test('the subject line is removed from the text', async () => {
  assert.deepEqual(await mail('Subject: [{{.n}}] — stöp\n\nthe body\n', { n: 'u-1' }), {
    subject: '[u-1] — stöp',
    text: 'the body\n',
  })
  assert.deepEqual(await mail('Subject: {{.n}}', { n: 'alone' }), { subject: 'alone', text: '' })
})

test('line breaks in a value stay in the subject, as spaces', async () => {
  const { subject, text } = await mail('Subject: {{.n}} end\nbody {{.n}}', FORGED)
  assert.equal(subject, 'a Bcc: x@example.net forged end')
  assert.equal(text, `body ${FORGED.n}`)
})

test('a variable that is declared before the subject line exists in subject and body', async () => {
  const text = '{{- $n := .n -}}\nSubject: {{$n}}\n{{ range .list }}{{$n}}{{ end }}'
  assert.deepEqual(await mail(text, { n: 'x', list: [1, 2] }), { subject: 'x', text: 'xx' })
})

test('a subject line with a block that the body closes has no line breaks either', async () => {
  const { subject } = await mail('Subject: {{ with .n }}{{.}}\nbody {{.}}{{ end }}', FORGED)
  assert.equal(subject, 'a')
})

test('a text without a subject line has no subject', async () => {
  assert.deepEqual(await mail('hello {{.n}}\nSubject: not this', { n: 1 }), {
    subject: undefined,
    text: 'hello 1\nSubject: not this',
  })
})

test('other channels have no subjects', async () => {
  const [rendered] = await (await channelWith('Subject: x\ny')).render([item({})])
  assert.equal(rendered?.text, 'Subject: x\ny')
  assert.equal(rendered?.subject, undefined)
})
