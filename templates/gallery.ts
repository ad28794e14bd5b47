import { writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { textOfHtml } from '../src/channels/body/html-to-text.ts'
import { CHANNELS } from '../src/channels/index.ts'
import { CHANNEL_NAMES, type ChannelName } from '../src/domain/delivery/delivery.ts'
import type { DigestNotice } from '../src/domain/delivery/notice.ts'
import { type Payload, SENDERS } from '../src/domain/incident.ts'
import { recognise } from '../src/intake/recognise.ts'
import type { Sample } from '../src/render/samples/alerts.ts'
import { SAMPLES, sampleData } from '../src/render/samples/samples.ts'
import { type ChannelPrinter, createPrinter } from '../src/render/templates/channel-printer.ts'
import { readSource } from '../src/render/templates/load.ts'
import { fit } from '../src/render/text/fit.ts'
import { noticeText } from '../src/render/text/notice-text.ts'
import { DIGESTS } from './gallery-digests.ts'

/** The acknowledge link in all examples. */
export const ACK_URL = 'https://tocsin.example.net/api/ack/0195c1a2?exp=1773063000&sig=5f2c'

/** Channels whose digests differ from each other in their markup. */
const MARKUPS = ['chatws', 'msgapp', 'messenger', 'workchat', 'email'] as const satisfies readonly ChannelName[]

const PUBLIC_HOST = 'https://tocsin.example.net'

const READING: { readonly [channel in ChannelName]: string } = {
  chatws: 'sent as chat markup; the button to acknowledge follows it',
  msgapp: 'sent as HTML',
  messenger: 'plain text',
  officechat: 'Markdown',
  workchat: 'Markdown of a card, whose header has the title and the colour',
  email: 'the text of the HTML',
  console: 'plain text',
  ntfy: 'plain text of a push, whose title is the subject',
}

/** Returns the shipped template of a channel, compiled. */
export function shipped(channel: ChannelName): ChannelPrinter {
  const source = readSource(fileURLToPath(new URL(`${channel}.tmpl`, import.meta.url)))
  return createPrinter(source, { rules: CHANNELS[channel].text, env: () => undefined, now: () => new Date() })
}

/** Returns the data that a template gets for a payload. */
export const dataOf = (payload: Payload): Payload => sampleData(payload, recognise(payload))

/** Returns the gallery as Markdown: one incident of every sender, as each channel sends it. */
export function gallery(): string {
  const printers = CHANNEL_NAMES.map((channel) => ({ channel, print: shipped(channel) }))
  const examples = SENDERS.flatMap((sender) => SAMPLES.find((sample) => sample.sender === sender) ?? [])
  const resolved = SAMPLES.filter((sample) => sample.name === 'Grouped alerts: resolved')
  const shapes = [...examples, ...resolved].map((sample) => {
    const shown = printers.map(({ channel, print }) => show(channel, print, sample))
    return [`## ${sample.name}`, ...shown].join('\n\n')
  })
  const digests = Object.entries(DIGESTS).map(([name, digest]) =>
    [`## ${name}`, ...MARKUPS.map((channel) => showDigest(channel, digest))].join('\n\n'),
  )
  return `${[HEAD, ...shapes, ...digests].join('\n\n')}\n`
}

const HEAD = `# What the shipped templates print

One incident of every sender, as each channel sends it. The payloads are invented. \`node templates/gallery.ts\` writes this file from
the templates beside it. The digests at the end are printed without a template.`

function show(channel: ChannelName, print: ChannelPrinter, { payload }: Sample): string {
  const { text, subject } = print(dataOf({ ...payload, AckURL: ACK_URL }))
  const sent = fit(text, CHANNELS[channel].text, 'incident 0195c1a2').text
  return `**${channel}**, ${READING[channel]}:\n\n${example(channel, sent, subject)}`
}

function showDigest(channel: ChannelName, digest: DigestNotice): string {
  const { text, subject } = noticeText(digest, CHANNELS[channel].text, { publicHost: PUBLIC_HOST })
  return `**${channel}**:\n\n${example(channel, text, subject)}`
}

function example(channel: ChannelName, sent: string, subject: string | undefined): string {
  const body = channel === 'email' ? textOfHtml(sent) : sent.trimEnd()
  const read = subject === undefined ? body : `Subject: ${subject}\n\n${body}`
  const fence = read.includes('```') ? '````' : '```'
  return `${fence}text\n${read}\n${fence}`
}

if (process.argv[1] === fileURLToPath(import.meta.url)) writeFileSync(new URL('GALLERY.md', import.meta.url), gallery())
