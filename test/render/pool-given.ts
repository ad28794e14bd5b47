import { after } from 'node:test'
import type { TextRules } from '../../src/domain/message.ts'
import { type RenderItem, RenderPool, type RenderPoolOptions } from '../../src/render/pool.ts'

export const PLAIN: TextRules = { escaping: 'none', limit: { max: 4_000, unit: 'utf16' } }
const MAIL: TextRules = { ...PLAIN, subject: true }

export interface Given extends Partial<Omit<RenderPoolOptions, 'templates'>> {
  /** Text of the template of the channel `chat`. */
  readonly chat?: string
  /** Text of the template of the channel `mail`, which has subjects. */
  readonly mail?: string
  readonly rules?: TextRules
}

/** A pool for the channels `chat` and `mail`, closed after the test file, and the faults it told of. */
export function given({ chat = '{{n}}', mail = '{{n}}', rules = PLAIN, ...options }: Given = {}) {
  const faults: string[] = []
  const pool = new RenderPool({
    templates: [template('chat', chat, rules), template('mail', mail, MAIL)],
    threads: 1,
    deadlineMs: 5_000,
    env: {},
    publicHost: 'https://tocsin.example.net',
    onFault: (channel, fault) => faults.push(`${channel} ${fault}`),
    ...options,
  })
  after(() => pool.close())
  return { pool, faults }
}

export function template(channel: string, text: string, rules: TextRules = PLAIN) {
  return { channel, source: { file: `${channel}.tmpl`, text }, rules }
}

export function item(payload: unknown, ackUrl?: string): RenderItem {
  return raw(JSON.stringify(payload), ackUrl)
}

export function raw(content: string, ackUrl?: string): RenderItem {
  const facts = { id: 'i-1', title: 'Disk full', service: 'orders', severity: 'high', status: 'firing', createdAt: 0 }
  return { content: Buffer.from(content), facts: { ...facts, status: 'firing' }, ...(ackUrl && { ackUrl }) }
}

/** `count` items whose `n` is their place. */
export function items(count: number): RenderItem[] {
  return Array.from({ length: count }, (_, n) => item({ n }))
}
