import type { CaseOptions, Row, TrialOptions } from '../report.ts'
import { runScenario } from '../storm/run-scenario.ts'
import { type Scenario, SHORT, TOGETHER } from '../storm/scenarios.ts'

/**
 * Storms into channels with their default settings, at providers that allow what the real ones allow. Times are from the
 * commit of an incident to the provider's answer to the message that tells of it, from the ledger. `lost`: incidents that
 * are on the ledger as told by nothing; `miscounted`: difference between what was accepted and what the texts that the
 * provider took say. Scenarios of one list run at the same time, so figures of memory are rough.
 */
export const title =
  'storm: what a channel receives of a storm, and when all is told, by default settings where no other are named'

interface Case {
  readonly scenarios: readonly Scenario[]
}

export function cases({ quick }: CaseOptions): Case[] {
  return (quick ? [[SHORT]] : TOGETHER).map((scenarios) => ({ scenarios }))
}

export function run({ quick, scratch, progress }: TrialOptions, { scenarios }: Case): Promise<Row[]> {
  progress(scenarios.map(({ name, channel }) => `${channel}: ${name}`).join('; '))
  return Promise.all(scenarios.map((scenario) => runScenario(scenario, { scratch, short: quick })))
}
