import assert from 'node:assert/strict'
import { test } from 'node:test'
import { channelOf, forever, messageOf } from './setup.ts'

async function printed(text: string): Promise<string> {
  const out: string[] = []
  const channel = channelOf('console', {}, { print: (each) => void out.push(each) })
  assert.deepEqual(await channel.send(messageOf({ text }), forever), { kind: 'sent' })
  return out.join('')
}

test('a message is framed, with its facts above and its time and id below', async () => {
  const lines = (await printed('first line\n\nlast line\n')).split('\n')
  assert.match(lines[0] ?? '', /^┌─ FIRING · critical · checkout ─+$/)
  assert.deepEqual(lines.slice(1, -2), ['│ Checkout is slow', '│', '│ first line', '│', '│ last line'])
  assert.match(lines.at(-2) ?? '', /^└─ 2026-11-01T12:00:00\.000Z 01936a1f-0000-7000-8000-000000000001 ─+$/)
})

test('a payload cannot drive the terminal', async () => {
  const out = await printed('\u001b[2Jgone\u0007\u009b31m\r\nnext \u202egnissim')
  assert.match(out, /│ �\[2Jgone��31m\n│ next �gnissim/)
})
