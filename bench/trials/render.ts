import { readFileSync } from 'node:fs'
import { CHANNEL_NAMES } from '../../src/domain/delivery/delivery.ts'
import type { Payload } from '../../src/domain/incident.ts'
import { compile } from '../../src/render/templates/compile.ts'
import { ACK_URL, dataOf, shipped } from '../../templates/gallery.ts'
import { groupedAlert } from '../../test/harness/load/payload.ts'
import { rate } from '../rate.ts'
import { type CaseOptions, measure, type Row, type TrialOptions } from '../report.ts'

export const title =
  'render: messages/s of one thread; golden templates with their own data, shipped ones with a 1 kB grouped alert'

interface Sample {
  readonly name: string
  readonly data: Payload
  readonly render: (payload: Payload) => string
}

const GOLDEN = new URL('../../test/render/go/golden.jsonl', import.meta.url)
const LARGEST = 3
const BATCH = 100

interface Case {
  /** Name of a sample. */
  readonly name: string
  readonly rounds: number
  readonly durationMs: number
}

export function cases({ quick }: CaseOptions): Case[] {
  const names = [...goldenSamples(), ...shippedSamples()].map(({ name }) => name)
  if (quick) return ['officechat', 'email'].map((name) => ({ name, rounds: 1, durationMs: 150 }))
  return names.map((name) => ({ name, rounds: 4, durationMs: 200 }))
}

export async function run({ progress }: TrialOptions, { name, rounds, durationMs }: Case): Promise<Row[]> {
  progress(name)
  const { data, render } = [...goldenSamples(), ...shippedSamples()].find((each) => each.name === name) ?? absent(name)
  const json = JSON.stringify(data)
  const decoded: number[] = []
  const parsed: number[] = []
  for (let round = 1; round <= rounds; round++) {
    decoded.push(await messagesPerSecond(durationMs, () => render(data)))
    parsed.push(await messagesPerSecond(durationMs, () => render(JSON.parse(json) as Payload)))
  }
  const characters = render(data).length
  return [{ template: name, characters, 'messages/s': measure(decoded, 0), 'with JSON.parse/s': measure(parsed, 0) }]
}

async function messagesPerSecond(durationMs: number, render: () => string): Promise<number> {
  return (await rate(durationMs, times(render))).perSecond
}

function absent(name: string): never {
  throw new Error(`there is no template ${name}`)
}

/** Returns the largest realistic golden templates with their payloads. */
function goldenSamples(): Sample[] {
  const cases = readFileSync(GOLDEN, 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as { id: string; group: string; template: string; data: Payload; out?: string })
  const realistic = cases.filter(({ group, out }) => group === 'realistic' && out !== undefined)
  const texts = new Map(realistic.toReversed().map((one) => [one.template, one]))
  const largest = [...texts.values()].sort((a, b) => b.template.length - a.template.length).slice(0, LARGEST)
  const options = { escaping: 'html', env: () => undefined, now: () => new Date(0) } as const
  return largest.map(({ id, template, data }) => ({
    name: id,
    data,
    render: compile({ file: `${id}.tmpl`, text: template }, options),
  }))
}

function shippedSamples(): Sample[] {
  const data = dataOf({ ...groupedAlert(), AckURL: ACK_URL })
  return CHANNEL_NAMES.map((name) => {
    const print = shipped(name)
    return { name, data, render: (payload) => print(payload).text }
  })
}

function times(render: () => string): () => number {
  return () => {
    let characters = 0
    for (let n = 0; n < BATCH; n++) characters += render().length
    if (characters === 0) throw new Error('nothing was rendered')
    return BATCH
  }
}
