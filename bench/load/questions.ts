import { Agent, request } from 'undici'
import { Latencies } from '../../test/harness/load/latencies.ts'
import { groupedAlert } from '../../test/harness/load/payload.ts'
import { SECRET } from '../../test/harness/net/requests.ts'
import { stats } from '../servers/admin.ts'
import type { Server } from '../servers/server.ts'

/** Result of asking for details of incidents that were just accepted. */
export interface Questions {
  /** From the time at which a question was due to its answer. */
  readonly latencies: Latencies
  /** The same of the incidents that were posted beside the flood. */
  readonly answered: Latencies
  /** Answers about an incident that was not applied yet. */
  readonly unapplied: number
  /** Answers other than 200. */
  readonly failed: number
  /** Most incidents that were committed and not applied, sampled once a second; 0 when nothing was asked. */
  readonly mostUnapplied: number
}

const SAMPLE_MS = 1_000

/**
 * Posts incidents and asks for the details of the one accepted last, both at a fixed rate (open loop) on connections of
 * their own, until `stop`. `perSecond` 0: asks nothing.
 */
export function startQuestions(service: Server, perSecond: number): { stop(): Promise<Questions> } {
  const dispatcher = new Agent({ connections: 64 })
  const latencies = new Latencies()
  const answered = new Latencies()
  const pending = new Set<Promise<void>>()
  const body = JSON.stringify(groupedAlert())
  let [last, unapplied, failed, mostUnapplied] = ['', 0, 0, 0]

  async function post(dueMs: number): Promise<void> {
    const headers = { 'content-type': 'application/json' }
    const answer = await request(`${service.url}/api/incidents`, { method: 'POST', headers, body, dispatcher })
    await answer.body.dump()
    answered.add(performance.now() - dueMs)
    if (answer.statusCode === 201) last = String(answer.headers['x-incident-id'])
  }

  async function ask(dueMs: number): Promise<void> {
    if (last === '') return
    const headers = { 'x-gateway-secret': SECRET }
    const answer = await request(`${service.url}/api/admin/incidents/${last}`, { headers, dispatcher })
    const detail = (await answer.body.json()) as { readonly applied?: boolean }
    latencies.add(performance.now() - dueMs)
    if (answer.statusCode !== 200) failed++
    else if (detail.applied === false) unapplied++
  }

  async function sample(): Promise<void> {
    mostUnapplied = Math.max(mostUnapplied, (await stats(service)).storage?.unapplied ?? 0)
  }

  function keep(work: Promise<void>): void {
    const kept = work
      .catch(() => {
        failed++
      })
      .finally(() => pending.delete(kept))
    pending.add(kept)
  }

  const began = performance.now()
  let due = 0
  const timer = setInterval(() => {
    for (; due < ((performance.now() - began) * perSecond) / 1_000; due++) {
      const dueMs = began + (due * 1_000) / perSecond
      keep(post(dueMs))
      keep(ask(dueMs))
    }
  }, 1)
  const sampler = perSecond > 0 ? setInterval(() => keep(sample()), SAMPLE_MS) : undefined
  return {
    async stop() {
      clearInterval(timer)
      clearInterval(sampler)
      await Promise.all(pending)
      await dispatcher.close()
      return { latencies, answered, unapplied, failed, mostUnapplied }
    },
  }
}
