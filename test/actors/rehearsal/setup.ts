import { rehearse } from '../../../actors/rehearsal/rehearse.ts'
import { type StoreBoot, storeBoot } from '../../../actors/wiring/boot.ts'
import type { HistorySource } from '../../../actors/wiring/rehearsal.ts'
import { loadConfig } from '../../../src/config/load.ts'
import type { Draft } from '../../../src/domain/incident.ts'
import type { StoredIncident, StoredSilence } from '../../../src/store/ports/history.ts'
import { configFile, folder } from '../../harness/config-file.ts'

export const HOUR_MS = 3_600_000
export const DAY_MS = 24 * HOUR_MS
export const START = Date.UTC(2030, 0, 1)

const ALERT = {
  console: { enable: false },
  chatws: { enable: true, token: 'xoxb-1', channel_id: 'C1', other_channel_ids: { payments: 'C2' } },
  email: { enable: true, smtp_host: '127.0.0.1', from: 'a@example.net', to: 'b@example.net' },
}
const ONCALL = { enable: true, provider: 'webhook', wait_minutes: 5, webhook: { url: 'http://127.0.0.1:9/' } }

/** The boot settings of the store for a configuration with a chat, mail and a pager. */
export function bootFor(sections: object): StoreBoot {
  const { config } = loadConfig({ file: configFile(folder(), { alert: ALERT, oncall: ONCALL, ...sections }), env: {} })
  return storeBoot({ settings: config, secrets: [] })
}

/** An incident of the history; `number` counts from 1. */
export function incident(
  number: number,
  committedAt: number,
  { acknowledged, resolvedAt, overrides, ...changes }: Partial<Draft> & Omit<Partial<StoredIncident>, 'draft'> = {},
): StoredIncident {
  const draft: Draft = {
    id: `01930000-0000-7000-8000-${String(number).padStart(12, '0')}`,
    source: 'webhook',
    sender: 'custom',
    createdAt: committedAt,
    title: `incident ${number}`,
    service: 'web',
    severity: 'warning',
    status: 'firing',
    fingerprint: `f${number}`,
    content: Buffer.from('{}'),
    ...changes,
  }
  return {
    ...{ number, draft, committedAt },
    ...(overrides && { overrides }),
    ...(acknowledged && { acknowledged }),
    ...(resolvedAt !== undefined && { resolvedAt }),
  }
}

const PAGE = 7

/** A source that answers from memory. */
export const sourceOf = (
  incidents: readonly StoredIncident[],
  silences: readonly StoredSilence[] = [],
): HistorySource => ({
  silences: () => silences,
  range: () => ({ first: 1, last: incidents.at(-1)?.number ?? 0, storedSince: START, complete: true }),
  page: ({ first }) => incidents.filter(({ number }) => number >= first).slice(0, PAGE),
})

/** Rehearses a day. */
export const rehearsed = (
  inForce: StoreBoot,
  proposed: StoreBoot,
  incidents: readonly StoredIncident[],
  silences: readonly StoredSilence[] = [],
) =>
  rehearse({ inForce, proposed, from: START, to: START + DAY_MS }, sourceOf(incidents, silences), {
    progress() {},
    maxCpuMs: Infinity,
    cpuMs: () => 0,
  })
