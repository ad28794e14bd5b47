import { fileURLToPath } from 'node:url'
import { CHANNELS } from '../../src/channels/index.ts'
import { recognise } from '../../src/intake/recognise.ts'
import { type RenderItem, RenderPool } from '../../src/render/pool/pool.ts'
import { createPrinter } from '../../src/render/templates/channel-printer.ts'
import { readSource } from '../../src/render/templates/load.ts'
import { fit } from '../../src/render/text/fit.ts'
import { addFacts } from '../../src/render/text/incident-facts.ts'
import { groupedAlert } from '../../test/harness/load/payload.ts'
import { type Rate, rate, type Work } from '../rate.ts'
import { type CaseOptions, figure, type Row, type TrialOptions } from '../report.ts'

const CHANNEL = 'chatws'
const { text: rules } = CHANNELS[CHANNEL]
const BATCH = 64
/** Batches given to the pool at once, as by a sender with a full mailbox. */
const BATCHES = 8

export const title = `render-pool: 1 kB grouped alerts as ${CHANNEL} messages, decoded, rendered and fitted; in batches of ${BATCH}`

const source = readSource(fileURLToPath(new URL(`../../templates/${CHANNEL}.tmpl`, import.meta.url)))
const payload = groupedAlert()
const content = Buffer.from(JSON.stringify(payload))
const items: RenderItem[] = Array.from({ length: BATCH * BATCHES }, (_, n) => ({
  content,
  facts: {
    ...recognise(payload),
    id: `0195a1b2-0000-7000-8000-${String(n).padStart(12, '0')}`,
    source: 'webhook',
    createdAt: 0,
  },
}))

interface Case {
  readonly rendered: keyof typeof WAYS
  readonly rounds: number
  readonly durationMs: number
}

/** The same messages in this thread and through the pool: the difference is the cost of the pool. */
const WAYS = {
  'in the calling thread': { threads: 0, renders: renderHere },
  'pool of 1': { threads: 1, renders: renderAll },
  'pool of 2': { threads: 2, renders: renderAll },
  'pool of 1, one at a time': { threads: 1, renders: renderOne },
} as const

export function cases({ quick }: CaseOptions): Case[] {
  if (quick) return [{ rendered: 'pool of 1', rounds: 1, durationMs: 700 }]
  return Object.keys(WAYS).map((rendered) => ({ rendered: rendered as Case['rendered'], rounds: 3, durationMs: 1_000 }))
}

export async function run({ progress }: TrialOptions, { rendered, rounds, durationMs }: Case): Promise<Row[]> {
  progress(rendered)
  const { threads, renders } = WAYS[rendered]
  const pool = poolOf(Math.max(1, threads))
  const rates: Rate[] = []
  try {
    for (let round = 1; round <= rounds; round++) rates.push(await rate(durationMs, renders(pool)))
  } finally {
    await pool.close()
  }
  return [
    {
      rendered,
      'incidents/s': figure(rates, 'perSecond', 0),
      'CPU us each': figure(rates, 'cpuMicros', 1),
      'calling thread busy, us each': figure(rates, 'busyMicros', 1),
    },
  ]
}

function renderHere(): Work {
  const print = createPrinter(source, { rules, env: () => undefined, now: () => new Date() })
  const utf8 = new TextDecoder()
  return () => {
    for (const { content, facts } of items) {
      const data = JSON.parse(utf8.decode(content))
      addFacts(data, facts)
      fit(print(data).text, rules, facts.id)
    }
    return items.length
  }
}

function renderAll(pool: RenderPool): Work {
  return async () => (await pool.render(CHANNEL, items)).length
}

function renderOne(pool: RenderPool): Work {
  return async () => (await pool.render(CHANNEL, items.slice(0, 1))).length
}

function poolOf(threads: number): RenderPool {
  return new RenderPool({
    templates: [{ channel: CHANNEL, source, rules }],
    threads,
    deadlineMs: 5_000,
    env: {},
    publicHost: 'https://tocsin.example.net',
    onFallback: (_, failure) => {
      throw new Error(failure)
    },
  })
}
