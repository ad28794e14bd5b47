import { after } from 'node:test'
import type { TextRules } from '../../../src/domain/delivery/message.ts'
import { type Rendered, type RenderItem, RenderPool } from '../../../src/render/pool/pool.ts'
import type { IncidentFacts } from '../../../src/render/text/incident-facts.ts'

export const PLAIN: TextRules = { escaping: 'none', limit: { max: 4_000, unit: 'utf16' } }
export const MAIL: TextRules = { ...PLAIN, subject: true }

const open: RenderPool[] = []
after(() => Promise.all(open.map((pool) => pool.close())))

/** A pool without templates, closed after the test file, and the failures that it reports. */
export function setup(options: Partial<ConstructorParameters<typeof RenderPool>[0]> = {}) {
  const failures: string[] = []
  const pool = new RenderPool({
    templates: [],
    threads: 1,
    deadlineMs: 5_000,
    env: { REGION: 'north' },
    publicHost: 'https://tocsin.example.net',
    onFallback: (channel, failure) => failures.push(`${channel} ${failure}`),
    ...options,
  })
  open.push(pool)
  return { pool, failures }
}

let shared: RenderPool | undefined
let channels = 0

/** A new channel with this template, in a pool that all tests of the file share. */
export async function channelWith(text: string, rules?: TextRules) {
  shared ??= setup().pool
  const pool = shared
  const name = `channel-${++channels}`
  await pool.use(template(name, text, rules))
  return {
    render: (given: readonly RenderItem[]) => pool.render(name, given),
    preview: (given: RenderItem, text?: string) => pool.preview(name, given, text),
    replace: (next: string) => pool.use(template(name, next, rules)),
  }
}

const FACTS: IncidentFacts = {
  id: 'i-1',
  title: 'Disk full',
  service: 'orders',
  severity: 'high',
  status: 'firing',
  sender: 'grouped_alerts',
  source: 'webhook',
  createdAt: 0,
}

export function template(channel: string, text: string, rules: TextRules = PLAIN) {
  return { channel, source: { file: `${channel}.tmpl`, text }, rules }
}

export function item(payload: unknown, ackUrl?: string): RenderItem {
  return raw(JSON.stringify(payload), ackUrl)
}

export function raw(content: string, ackUrl?: string): RenderItem {
  return { content: Buffer.from(content), facts: FACTS, ...(ackUrl && { ackUrl }) }
}

/** `count` items whose `n` is their index. */
export function items(count: number): RenderItem[] {
  return Array.from({ length: count }, (_, n) => item({ n }))
}

export const RUNAWAY =
  'no. {{.n}}{{ range .rows }}{{ range $.rows }}{{ range $.rows }}{{ range $.rows }}{{ end }}{{ end }}{{ end }}{{ end }}'
export const rows = Array.from({ length: 1_000 }, (_, n) => n)
export const runaway = item({ n: 'runaway', rows })

export const textsOf = (rendered: readonly Rendered[]) => rendered.map(({ text }) => text)
