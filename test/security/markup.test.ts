import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Marked, type Token } from 'marked'
import { mailOf } from '../../src/channels/adapters/email.ts'
import { CHANNELS } from '../../src/channels/index.ts'
import type { ChannelName } from '../../src/domain/delivery/delivery.ts'
import type { Payload } from '../../src/domain/incident.ts'
import { recognise } from '../../src/intake/recognise.ts'
import { SAMPLES } from '../../src/render/samples/samples.ts'
import { fallback } from '../../src/render/text/fallback.ts'
import { fit } from '../../src/render/text/fit.ts'
import { dataOf, shipped } from '../../templates/gallery.ts'
import { messageOf } from '../channels/setup.ts'

const EVIL = 'https://evil.example'
/** Texts that would be a tag, a mention, a disguised link or a picture, or would end the markup around them. */
const HOSTILE: readonly string[] = [
  '<!channel> <!here> <!everyone> <!subteam^S1> <@U1> <#C1>',
  `<${EVIL}|Runbook>`,
  '<at id=all></at> <at user_id="all">all</at> <at>everyone</at>',
  `[Runbook](${EVIL}) ![](${EVIL}/pixel.png) [x]: ${EVIL}`,
  `x](${EVIL}) [y`,
  `</code></pre></b><a href="${EVIL}">Runbook</a><img src="${EVIL}/pixel.png"><script>alert(1)</script>`,
  `" onmouseover="alert(1)" href="${EVIL}`,
  `\`\`\`\n[Runbook](${EVIL})\n<!channel>\n\`\`\``,
  `\`[Runbook](${EVIL})\``,
  '{{ .Tocsin }} {{ env "HOME" }} {{range .}}x{{end}} <%= 1 %>',
  '&lt;!channel&gt; &#60;at id=all&#62; &amp;lt;b&amp;gt;',
  `a\u2028<!channel>\r\nSubject: forged\r\nBcc: everybody@evil.example\r\n\r\n<b>`,
]

/** The payload with each of its texts, at any depth, replaced; addresses stay addresses. */
function withText(value: unknown, text: string): unknown {
  if (Array.isArray(value)) return value.map((each) => withText(each, text))
  if (typeof value === 'object' && value !== null)
    return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, withText(each, text)]))
  if (typeof value !== 'string' || KEPT.test(value)) return value
  return text
}
/** Values that make a sample recognisable. */
const KEPT = /^https?:|^AI Agent$|^(?:firing|resolved|alerting|ok|ALARM|OK|created|error)$|^\d{4}-/

const markdown = new Marked({ gfm: true })

function* tokensIn(tokens: readonly Token[]): Generator<Token> {
  for (const token of tokens) {
    yield token
    yield* tokensIn('tokens' in token ? (token.tokens ?? []) : [])
    if (token.type === 'list') yield* tokensIn(token.items)
  }
}

/** Returns the harmful part of a text; undefined: none. */
type Check = (text: string) => string | undefined

const inMarkdown: Check = (text) => {
  for (const token of tokensIn(markdown.lexer(text))) {
    if (token.type === 'image' || token.type === 'html' || token.type === 'def') return token.raw
    if (token.type === 'link' && token.href.startsWith(EVIL) && token.text !== token.href) return token.raw
  }
  // A chat without code blocks reads the markup inside them, so it counts too.
  return new RegExp(`</?[a-z!]|\\]\\(${EVIL}`, 'i').exec(text)?.[0]
}
/** Every tag is one that the templates write. */
const inHtml: Check = (text) => {
  const own = /<(?:b|i|code|pre|p|br|div|span|small)(?: style="[^"<>]*")?>|<\/(?:b|i|code|pre|p|div|span|small|a)>/g
  const links = /<a href="(https:\/\/[^"<>\s]*)"(?: style="[^"<>]*")?>/g
  const disguised = [...text.matchAll(links)].find(([, href = '']) => href.startsWith(EVIL))?.[0]
  return disguised ?? /<[a-z/!][^>]*>?/i.exec(text.replace(own, '').replace(links, ''))?.[0]
}
const inChat: Check = (text) => {
  const markup = [...text.matchAll(/<([^>\n]*)>/g)].map(([, inside = '']) => inside)
  return markup.find((inside) => !/^https?:\/\//.test(inside) || inside.startsWith(EVIL))
}
const CHECKS: { readonly [channel in Exclude<ChannelName, 'messenger' | 'console' | 'ntfy'>]: Check } = {
  chatws: inChat,
  msgapp: inHtml,
  email: inHtml,
  officechat: inMarkdown,
  workchat: inMarkdown,
}

for (const [channel, check] of Object.entries(CHECKS) as [ChannelName, Check][]) {
  const print = shipped(channel)
  const { text: rules } = CHANNELS[channel]
  test(`no text of a payload becomes a tag, a mention or a link in disguise on ${channel}`, () => {
    for (const hostile of HOSTILE)
      for (const { name, payload } of SAMPLES) {
        const changed = { ...(withText(payload, hostile) as Payload), [hostile.slice(0, 40)]: hostile }
        const { text } = print(dataOf(changed))
        const plain = fallback({ id: 'an-id', ...recognise(changed) }, changed, {
          rules,
          failure: hostile,
          link: 'an-id',
        })
        for (const said of [text, plain.text, fit(text.repeat(40), rules, 'an-id').text])
          assert.equal(check(said), undefined, `${name} with ${hostile}: ${said.slice(0, 3_000)}`)
      }
  })
}

test('what looks like a template in a payload is text', () => {
  for (const channel of Object.keys(CHECKS) as ChannelName[]) {
    const { text } = shipped(channel)(dataOf({ title: 'x', Logs: '{{ .title }}{{ printf "%d" 41 }} {{ . }}' }))
    assert.match(text, /\{\{ \.title \}\}\{\{ printf .*%d.* 41 \}\} \{\{ \. \}\}/)
  }
})

test('no text of a payload begins a header of a mail', () => {
  const head = { from: 'bell@example.test', to: 'oncall@example.test', subject: '' }
  for (const hostile of HOSTILE)
    for (const over of [{ title: hostile }, { subject: hostile }, { service: hostile }]) {
      const mail = mailOf(messageOf(over), head)
      assert.deepEqual([mail.to, mail.from, mail.bcc, mail.cc], [head.to, head.from, undefined, undefined])
      assert.doesNotMatch(String(mail.subject), /[\r\n\u2028]/)
    }
})
