import type { ChannelName, ToldWay } from '../../../src/domain/delivery/delivery.ts'
import type { Settlement } from '../../../src/domain/delivery/dispatch.ts'
import { severityLevel } from '../../../src/domain/severity.ts'
import type { NoisePort } from '../../../src/store/noise/queries/port.ts'
import type { Settled } from '../../../src/store/ports/outbox.ts'
import type { RunNews, Turn, TurnResult } from '../../../src/store/ports/turn.ts'
import type { Store } from '../../../src/store/store.ts'
import type { NoiseMeters, StoreMeters } from '../../../src/telemetry/meters.ts'

interface Metering {
  readonly meters: { readonly store: StoreMeters; readonly noise: NoiseMeters }
  elapsed(): number
  wrote(ms: number): void
}

/** Wraps the store so that turns are timed, failed ones counted, and so is what they told of. */
export function meteredStore(store: Store, { meters, elapsed, wrote }: Metering): Store {
  function timed(turn: Turn): TurnResult {
    const since = elapsed()
    try {
      return store.turn(turn)
    } catch (error) {
      meters.store.failedWrites.add()
      throw error
    } finally {
      const ms = elapsed() - since
      meters.store.writeMs.record(ms)
      wrote(ms)
    }
  }
  return {
    ...store,
    turn(turn) {
      const result = timed(turn)
      countTold(meters.noise, store.noise.bounded, turn, result)
      return result
    },
  }
}

interface Telling {
  /** Number of the destination. */
  readonly code: number
  readonly severity: string
  readonly way: ToldWay
  readonly tookMs: number
}

/** Counts what one turn decided and told of, and how late. */
function countTold(meters: NoiseMeters, bounded: NoisePort['bounded'], turn: Turn, result: TurnResult): void {
  const count = ({ code, severity, way, tookMs }: Telling) => {
    const { channel, boundMs = Infinity } = bounded(code)
    const level = severityLevel(severity)
    meters.channels[channel].toldMs[level][way].record(tookMs)
    if (tookMs > boundMs) meters.channels[channel].late[level][way].add()
  }
  result.settled.forEach((settled, at) => {
    if (settled?.kind === 'digest') meters.channels[settled.channel].revisions[wayOf(settled.way)].add()
    const telling = singleOf(turn.settlements[at], settled)
    if (telling !== undefined) count(telling)
  })
  for (const { code, severity, way, committedAt, toldAt } of result.concluded)
    count({ code, severity, way: wayOf(way), tookMs: Math.max(0, toldAt - committedAt) })
  for (const kind of ['folded', 'repeated', 'flapped', 'grouped'] as const)
    for (const [channel, places] of Object.entries(result[kind]))
      meters.channels[channel as ChannelName][kind].add(places)
  for (const [channel, deliveries] of Object.entries(result.fellBack))
    meters.channels[channel as ChannelName].fallbacks.add(deliveries)
  if (result.silenced > 0) meters.silenced.add(result.silenced)
  if (result.nobody > 0) meters.nobody.add(result.nobody)
  if (result.drafts.length > 0) meters.decideMs.record(result.decideMs)
  for (const news of result.runs) countRun(meters.runs, news)
}

function countRun({ steps, stepLateMs, acknowledgeMs }: NoiseMeters['runs'], news: RunNews): void {
  if (news.kind === 'acknowledged') return acknowledgeMs.record(news.tookMs)
  steps[news.kind].add()
  if (news.kind === 'asked') stepLateMs.record(news.lateMs)
}

const wayOf = (way: 'post' | 'edit') => (way === 'post' ? 'digest' : 'edit')

/**
 * Returns what a delivery told of; undefined unless it was sent, for one that an operator sends again, and for one that a
 * silence held: its wait was wanted.
 */
function singleOf(settlement: Settlement | undefined, settled: Settled | undefined): Telling | undefined {
  if (settlement?.attempt === undefined || settlement.verdict.state !== 'sent') return undefined
  if (settled?.kind !== 'delivery' || settlement.destination === 'oncall') return undefined
  const { attempt, code } = settlement
  if (settled.attempts !== attempt.number || settled.silence !== null) return undefined
  const tookMs = Math.max(0, attempt.startedAt + attempt.durationMs - settled.createdAt)
  return { code, severity: settled.severity, way: 'message', tookMs }
}
