import { fileURLToPath } from 'node:url'
import type { TextRules } from '../../src/domain/message.ts'
import { fit } from '../../src/render/fit.ts'
import { readTemplate } from '../../src/render/library.ts'
import { type RenderItem, RenderPool } from '../../src/render/pool.ts'
import { printerOf } from '../../src/render/printer.ts'
import { SAMPLES } from '../../src/render/samples.ts'

export interface Figures {
  readonly [name: string]: number
}

const CHANNEL = 'chatws'
const RULES: TextRules = { escaping: 'chat', limit: { max: 40_000, unit: 'utf16' } }
const BATCH = 64
/** Batches given to the pool at once, as a sender with a full mailbox does. */
const BATCHES = 8
const PHASES = 4
const WARM_UP_SHARE = 0.3

const source = {
  file: 'chatws.tmpl',
  text: readTemplate(fileURLToPath(new URL('../../templates/chatws.tmpl', import.meta.url))),
}
const items: RenderItem[] = Array.from({ length: BATCH * BATCHES }, (_, n) => ({
  content: Buffer.from(JSON.stringify(SAMPLES[n % SAMPLES.length]?.payload)),
  facts: {
    id: `0195a1b2-0000-7000-8000-${String(n).padStart(12, '0')}`,
    title: 'Disk almost full',
    service: 'orders-db',
    severity: 'critical',
    status: 'firing',
    sender: 'grouped_alerts',
    source: 'webhook',
    createdAt: 0,
  },
}))

/** The shipped template of a channel with the built-in samples: rendered in this thread, and through the pool. */
export async function run({ seconds }: { seconds: number }): Promise<Figures> {
  const phaseMs = (seconds * 1_000) / PHASES
  const direct = await rate(phaseMs, renderHere())
  const one = await withPool(1, phaseMs, renderAll)
  const two = await withPool(2, phaseMs, renderAll)
  const single = await withPool(1, phaseMs, renderOne)
  return {
    'payload, bytes (mean)': Math.round(items.reduce((sum, { content }) => sum + content.length, 0) / items.length),
    'without a pool, incidents/s': Math.round(direct.perSecond),
    'pool of 1, incidents/s': Math.round(one.perSecond),
    'pool of 2, incidents/s': Math.round(two.perSecond),
    'without a pool, us of CPU per incident': round(direct.cpuMicros),
    'pool of 1, us of CPU per incident': round(one.cpuMicros),
    'calling thread busy, us per incident': round(one.busyMicros),
    'one incident at a time, us': round(1e6 / single.perSecond),
    'one incident at a time, us of CPU': round(single.cpuMicros),
    'first incident after start, ms': round(one.firstMs),
    'memory of a render thread, MB': round((two.rssBytes - one.rssBytes) / 1e6),
  }
}

/** Does some work; tells how many incidents were rendered. */
type Work = () => number | Promise<number>

function renderHere(): Work {
  const print = printerOf(source, { rules: RULES, env: () => undefined })
  const utf8 = new TextDecoder()
  return () => {
    for (const { content, facts } of items) fit(print(JSON.parse(utf8.decode(content))).text, RULES, facts.id)
    return items.length
  }
}

const renderAll = (pool: RenderPool) => async () => (await pool.render(CHANNEL, items)).length

const renderOne = (pool: RenderPool) => async () => (await pool.render(CHANNEL, items.slice(0, 1))).length

async function withPool(threads: number, durationMs: number, work: (pool: RenderPool) => Work) {
  const pool = new RenderPool({
    templates: [{ channel: CHANNEL, source, rules: RULES }],
    threads,
    deadlineMs: 5_000,
    env: {},
    publicHost: 'https://tocsin.example.net',
    onFault: (_, fault) => {
      throw new Error(fault)
    },
  })
  const startMs = performance.now()
  await pool.render(CHANNEL, items.slice(0, 1))
  const firstMs = performance.now() - startMs
  const measured = await rate(durationMs, work(pool))
  const rssBytes = process.memoryUsage.rss()
  await pool.close()
  return { ...measured, firstMs, rssBytes }
}

interface Rate {
  readonly perSecond: number
  /** Of all threads: hardly moved by what else the machine does. */
  readonly cpuMicros: number
  readonly busyMicros: number
}

async function rate(durationMs: number, work: Work): Promise<Rate> {
  await repeat(durationMs * WARM_UP_SHARE, work)
  const cpu = process.cpuUsage()
  const loop = performance.eventLoopUtilization()
  const { count, tookMs } = await repeat(durationMs, work)
  const { user, system } = process.cpuUsage(cpu)
  const { active } = performance.eventLoopUtilization(loop)
  return {
    perSecond: (count / tookMs) * 1_000,
    cpuMicros: (user + system) / count,
    busyMicros: (active / count) * 1_000,
  }
}

async function repeat(durationMs: number, work: Work): Promise<{ count: number; tookMs: number }> {
  const startMs = performance.now()
  let count = 0
  let tookMs = 0
  for (; tookMs < durationMs; tookMs = performance.now() - startMs) count += await work()
  return { count, tookMs }
}

const round = (value: number) => Math.round(value * 10) / 10

if (process.argv[1] === fileURLToPath(import.meta.url)) console.table(await run({ seconds: 8 }))
