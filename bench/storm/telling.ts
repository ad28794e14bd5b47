import { setTimeout as pause } from 'node:timers/promises'
import type { Provider } from '../../src/simulator/index.ts'
import { DigestAccount } from '../../test/harness/noise/digest-account.ts'
import type { Scenario } from './scenarios.ts'

const LOOK_MS = 100
/** No bound is as long. When it has passed the rest counts as lost. */
const STUCK_MS = 120_000
/** From the last alert to the summary of a storm, at most. */
const SUMMARY_MS = 180_000

interface Telling {
  readonly account: DigestAccount
  /** Age of the oldest alert that was not told, at its worst; by the number of alerts that were told. */
  readonly worstAgeMs: number
}

/** Reads what the provider takes while it comes in. The first alert is due when it is called. */
export function watchTelling(provider: Provider, { count, seconds }: Pick<Scenario, 'count' | 'seconds'>) {
  const account = new DigestAccount()
  const beganMs = performance.now()
  let read = 0
  let told = 0
  let toldMs = beganMs
  let worstAgeMs = 0

  function look(): void {
    for (const { text } of provider.taken.slice(read)) account.add(text)
    read = provider.taken.length
    const now = performance.now()
    if (account.told > told) toldMs = now
    told = account.told
    const oldestDueMs = beganMs + (told / count) * seconds * 1_000
    if (told < count) worstAgeMs = Math.max(worstAgeMs, now - oldestDueMs)
  }
  const timer = setInterval(look, LOOK_MS)

  return {
    /** Resolves when so many alerts are told, or when none was told for two minutes. */
    async untilTold(accepted: number): Promise<void> {
      while (account.told < accepted && performance.now() - toldMs < STUCK_MS) await pause(LOOK_MS)
    },
    /** Resolves when every storm has its summary, or after three minutes. */
    async untilOver(): Promise<void> {
      const endMs = performance.now() + SUMMARY_MS
      while (!account.over && account.digests.size > 0 && performance.now() < endMs) await pause(LOOK_MS)
    },
    stop(): Telling {
      clearInterval(timer)
      look()
      return { account, worstAgeMs }
    },
  }
}
