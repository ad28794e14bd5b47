import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { describe, it } from 'node:test'
import { textOfHtml } from '../../../src/channels/body/html-to-text.ts'
import { CHANNELS } from '../../../src/channels/index.ts'
import { CHANNEL_NAMES, type ChannelName } from '../../../src/domain/delivery/delivery.ts'
import type { Payload } from '../../../src/domain/incident.ts'
import { recognise } from '../../../src/intake/recognise.ts'
import { SAMPLES } from '../../../src/render/samples/samples.ts'
import { fit } from '../../../src/render/text/fit.ts'
import { ACK_URL, dataOf, gallery, shipped } from '../../../templates/gallery.ts'

const PRINTERS = CHANNEL_NAMES.map((channel) => {
  const print = shipped(channel)
  return { channel, print: (payload: Payload) => print(dataOf(payload)) }
})
const printed = (channel: ChannelName, payload: Payload) =>
  PRINTERS.find((printer) => printer.channel === channel)?.print(payload).text ?? ''

/** Returns the text without markup, on one line. */
function read(text: string): string {
  const plain = textOfHtml(text.replace(/\n(?: {4}\| )?/g, '<br>'))
  return plain.replace(/\s+/g, ' ')
}

function sample(name: string): Payload {
  const found = SAMPLES.find((candidate) => candidate.name === name)
  assert.ok(found, name)
  return found.payload
}

/** Matches text that no message may contain. */
const NOISE = /N\/A|undefined|\[object|map\[|<nil>|<no value>|%!|\n\n\n|[ \t]\n\n|: ?\n|· ?\n|• ?\n/

/** Returns why the messaging app would refuse a text; undefined when it is valid. */
function refusal(text: string): string | undefined {
  const open: string[] = []
  const rest = text.replace(/<(\/?)(b|i|code|pre|a)((?: href="https?:[^"<>]*")?)>/g, (_, slash, name) => {
    if (!slash) open.push(name)
    else if (open.pop() !== name) open.push(`stray ${name}`)
    return ''
  })
  if (open.length > 0) return `open: ${open.join()}`
  return /[<>]|&(?!(?:lt|gt|amp|quot|#\d+);)/.exec(rest)?.[0]
}

for (const { channel, print } of PRINTERS)
  describe(`the template of ${channel}`, () => {
    for (const { name, payload } of SAMPLES)
      it(`prints title, service and severity: ${name}`, () => {
        const { text, subject } = print({ ...payload, AckURL: ACK_URL })
        const { title, service, severity, status } = recognise(payload)
        const seen = read(channel === 'ntfy' ? `${subject}\n${text}` : text)
        for (const part of [title, service]) assert.ok(seen.includes(part), `${part} in ${seen}`)
        assert.ok(seen.toLowerCase().includes(status === 'resolved' ? 'resolved' : severity || 'firing'), seen)
        assert.doesNotMatch(text, NOISE)
        assert.equal(text, channel === 'email' ? `${text.trim()}\n` : text.trim())
        assert.equal(fit(text, CHANNELS[channel].text, 'incident 1').cut, false)
        if (channel === 'msgapp') assert.equal(refusal(text), undefined)
        assert.equal(subject !== undefined, channel === 'email' || channel === 'ntfy')
      })

    it('links to acknowledge firing incidents only', () => {
      const hasButton = channel === 'chatws' || channel === 'console'
      const says = (name: string) => print({ ...sample(name), AckURL: ACK_URL }).text.includes('tocsin.example.net')
      assert.equal(says('Grouped alerts: one firing'), !hasButton)
      assert.equal(says('Grouped alerts: resolved'), false)
    })

    it('links only http(s) addresses', () => {
      const alert = sample('Grouped alerts: one firing').alerts
      assert.ok(Array.isArray(alert))
      for (const url of [
        'javascript:alert(1)',
        'x',
        '//x.example.net',
        'https://x.example.net/" onclick="y',
        7,
        null,
      ]) {
        const { text } = print({ alerts: [{ ...alert[0], generatorURL: url }], commonLabels: {}, AckURL: url })
        assert.doesNotMatch(text, /Graph|Acknowledge/)
      }
    })
  })

describe('shipped templates', () => {
  it('print the texts of the gallery', () => {
    const written = readFileSync(new URL('../../../templates/GALLERY.md', import.meta.url), 'utf8')
    assert.equal(written, gallery(), 'run: node templates/gallery.ts')
  })

  it('list ten alerts of a group, firing and resolved ones separately, and count the others', () => {
    const text = printed('messenger', sample('Grouped alerts: a fleet, partly recovered'))
    assert.match(text, /Firing \(12\)\n(?:• db-\d\d.*\n){10}• and 2 more\n\n🟢 Resolved \(2\)\n(?:• db-1[34].*\n){2}/)
  })

  it('print every key of a free-form payload', () => {
    const payload = {
      ServiceName: 's',
      zeta: 0,
      off: false,
      deep: { a: [1, { b: 'x' }] },
      list: ['p', 'q'],
      'odd key': 'v',
    }
    const text = printed('messenger', payload)
    for (const part of ['zeta: 0', 'off: false', 'deep: {"a":[1,{"b":"x"}]}', 'list: p, q', 'odd key: v'])
      assert.ok(text.includes(part), part)
  })

  it('mention the user of a free-form payload in the chat, if the id is valid', () => {
    assert.ok(printed('chatws', { ServiceName: 's', UserID: 'U03EXAMPLE' }).includes('User <@U03EXAMPLE>'))
    assert.ok(printed('chatws', { ServiceName: 's', UserID: '!channel' }).includes('User !channel'))
    assert.ok(printed('chatws', { ServiceName: 's', UserID: 'U1> <!here>' }).includes('User U1&gt; &lt;!here&gt;'))
  })

  it('print the acknowledge link of a message that is cut', () => {
    const log = { ...sample('Log forwarder'), log: 'ERROR x\n'.repeat(20_000), AckURL: ACK_URL }
    for (const channel of ['msgapp', 'messenger', 'officechat', 'workchat', 'email'] as const)
      assert.ok(
        fit(printed(channel, log), CHANNELS[channel].text, 'incident 1').text.includes('tocsin.example.net'),
        channel,
      )
  })
})

describe('a hostile payload', () => {
  const evil = '<script>alert(1)</script> <!channel> <@U1> </b></code></pre> "\' & ``` ` <at id=all></at>'

  it('is escaped in every field', () => {
    for (const { payload } of SAMPLES)
      for (const { path, mutant } of mutants(payload, [evil])) {
        const app = printed('msgapp', mutant)
        assert.equal(refusal(app), undefined, path)
        assert.doesNotMatch(printed('chatws', mutant), /<[!@](?!U03EXAMPLE>)/, path)
        assert.doesNotMatch(printed('email', mutant), /<script|<at|<!|<\/b><\/code>/, path)
        assert.doesNotMatch(printed('workchat', mutant), /<at id=all>/, path)
      }
  })

  it('closes no code block', () => {
    for (const channel of ['chatws', 'officechat', 'workchat'] as const) {
      const text = printed(channel, { ServiceName: 's', Logs: 'a\n```\n*b*' })
      assert.equal(text.split('```').length, 3, channel)
    }
  })

  it('makes no Markdown link, code or line with the name of a key', () => {
    const payload = { ServiceName: 's', 'k`\n\nx': '[Acknowledge](https://evil.example)', description: 'a ` b' }
    for (const channel of ['officechat', 'workchat'] as const)
      assert.doesNotMatch(printed(channel, payload), /`|\]\(|^x/m, channel)
  })

  it('keeps its line breaks in a mail, and no other markup', () =>
    assert.match(printed('email', { ServiceName: 's', title: 't', description: 'a\n<b>' }), /<br>a<br>&lt;b&gt;/))

  it('makes no template fail or print a raw Go value', () => {
    const values = [null, 7, true, 'x', [], ['x', { a: 1 }], {}, { a: { b: 1 } }]
    for (const { payload } of SAMPLES)
      for (const { path, mutant } of mutants(payload, values))
        assert.doesNotMatch(printed('messenger', mutant), /map\[|<nil>|\[object|%!|undefined/, path)
  })
})

/**
 * Yields the payload with each value at any depth replaced by each of `values`; of a list the first two members only.
 */
function* mutants(payload: Payload, values: readonly unknown[]): Generator<{ path: string; mutant: Payload }> {
  for (const [key, value] of Object.entries(payload).slice(0, Array.isArray(payload) ? 2 : undefined)) {
    for (const other of values) yield { path: key, mutant: replaced(payload, key, other) }
    if (typeof value !== 'object' || value === null) continue
    for (const { path, mutant } of mutants(value as Payload, values))
      yield { path: `${key}.${path}`, mutant: replaced(payload, key, mutant) }
  }
}

function replaced(payload: Payload, key: string, value: unknown): Payload {
  const copy = { ...payload, [key]: value }
  return Array.isArray(payload) ? (Object.values(copy) as unknown as Payload) : copy
}

it('an alert that no sender repeats is told as such', () => {
  const text = printed('console', sample('Grouped alerts: not reported any more'))
  assert.match(text, /Not reported since 09 Mar 02:58 UTC, taken as resolved/)
})
