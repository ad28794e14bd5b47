import { fileURLToPath } from 'node:url'
import { CHANNELS } from '../../src/channels/index.ts'
import { recognise } from '../../src/intake/recognise.ts'
import { addFacts } from '../../src/render/facts.ts'
import { fit } from '../../src/render/fit.ts'
import { readSource } from '../../src/render/library.ts'
import { type RenderItem, RenderPool } from '../../src/render/pool.ts'
import { printerOf } from '../../src/render/printer.ts'
import { groupedAlert } from '../payload.ts'
import { type Rate, rate, rounded, type Work } from '../rate.ts'
import type { Row, TrialOptions } from '../report.ts'

const CHANNEL = 'chatws'
const { text: rules } = CHANNELS[CHANNEL]
const BATCH = 64
/** Batches given to the pool at once, as a sender with a full mailbox does. */
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

/** The same messages rendered in this thread and through the pool: the difference is what the pool costs. */
export async function run({ quick, progress }: TrialOptions): Promise<Row[]> {
  const durationMs = quick ? 1_000 : 4_000
  progress('this thread')
  const direct = await rate(durationMs, renderHere())
  const rows = [row('this thread', direct, direct)]
  for (const threads of [1, 2]) {
    progress(`pool of ${threads}`)
    const pooled = await withPool(threads, (pool) => rate(durationMs, renderAll(pool)))
    rows.push(row(`pool of ${threads}`, pooled, direct))
  }
  progress('one at a time')
  const single = await withPool(1, (pool) => rate(durationMs, renderOne(pool)))
  return [...rows, row('pool of 1, one at a time', single, direct)]
}

function row(how: string, { perSecond, cpuMicros, busyMicros }: Rate, direct: Rate): Row {
  return {
    rendered: how,
    'incidents/s': Math.round(perSecond),
    'us each': rounded(1e6 / perSecond),
    'CPU us each': rounded(cpuMicros),
    'CPU us over this thread': rounded(cpuMicros - direct.cpuMicros),
    'calling thread busy, us each': rounded(busyMicros),
  }
}

function renderHere(): Work {
  const print = printerOf(source, { rules, env: () => undefined })
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

const renderAll = (pool: RenderPool) => async () => (await pool.render(CHANNEL, items)).length

const renderOne = (pool: RenderPool) => async () => (await pool.render(CHANNEL, items.slice(0, 1))).length

async function withPool(threads: number, measure: (pool: RenderPool) => Promise<Rate>): Promise<Rate> {
  const pool = new RenderPool({
    templates: [{ channel: CHANNEL, source, rules }],
    threads,
    deadlineMs: 5_000,
    env: {},
    publicHost: 'https://tocsin.example.net',
    onFault: (_, fault) => {
      throw new Error(fault)
    },
  })
  try {
    return await measure(pool)
  } finally {
    await pool.close()
  }
}
