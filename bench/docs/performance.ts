import { BUSY } from '../machine.ts'
import { goalRows, tableOf } from '../markdown.ts'
import type { Row } from '../report.ts'
import type { Results } from '../results.ts'
import type { TrialResult } from '../run-trial.ts'
import { TRIALS } from '../trial-list.ts'

const NEVER_COVERED =
  'other machines, more cores than these, networks (all traffic goes over the loopback interface), and other disks than that of this machine'

/**
 * Returns `docs/performance.md`, made of the published figures alone: plots, goals, every table, and what is not
 * covered.
 */
export function performancePage({ trials }: Results): string {
  const names = Object.keys(TRIALS).filter((name) => Object.hasOwn(trials, name))
  const goals = names.flatMap((name) => goalRows(name, trials[name]?.tables ?? {}))
  return `${[
    '# Performance',
    '<!-- Written by npm run bench:docs from bench/published.json. Do not edit. -->',
    [
      'Measured by `npm run bench` ([how](../bench/README.md)), with the load generator and the sinks on the same cores as the service.',
      machines(names, trials),
      'A figure is the median of its samples, in brackets the smallest and the largest. Baselines ran in turn with the service.',
    ].join(' '),
    ['- [Goals](#goals)', ...names.map((name) => `- [${name}](#${name}): ${TRIALS[name]?.about}`)].join('\n'),
    '![Accepted incidents per second by connections](pictures/ingest.svg)',
    '![Latency at fixed rates](pictures/latency.svg)',
    '## Goals',
    goalsLine(goals),
    ...(goals.length > 0 ? [tableOf(goals).join('\n')] : []),
    ...names.flatMap((name) => section(name, trials[name])),
    '## Not covered',
    notCovered(names, trials)
      .map((each) => `- ${each}`)
      .join('\n'),
  ].join('\n\n')}\n`
}

function section(name: string, result: TrialResult | undefined): string[] {
  const tables = Object.entries(result?.tables ?? {})
  const load = result?.load ?? 0
  const rough = load < BUSY ? [] : [`The load of the machine was ${load} when this trial began: its figures are rough.`]
  return [
    `## ${name}`,
    ...rough,
    ...tables.flatMap(([title, rows]) => [`**${titleOf(title, name)}**`, tableOf(rows).join('\n')]),
  ]
}

/** Title of a table without the name of its trial. */
const titleOf = (title: string, name: string) => title.replace(`${name}: `, '')

/** States how many goals are met, and which figures miss theirs. */
function goalsLine(goals: readonly Row[]): string {
  const figures = Map.groupBy(goals, ({ trial, figure }) => `\`${trial}\` ${figure}`)
  const missed = Array.from(figures, ([figure, rows]) => ({ figure, rows, count: rows.filter(isMissed).length }))
    .filter(({ count }) => count > 0)
    .map(({ figure, rows, count }) => `${figure} (${count} of ${rows.length})`)
  const met = goals.length - goals.filter(isMissed).length
  return `${met} of ${goals.length} are met${missed.length > 0 ? `. Missed: ${missed.join(', ')}` : ''}.`
}
const isMissed = ({ verdict }: Row) => verdict === 'missed'

function machines(names: readonly string[], trials: Results['trials']): string {
  const runs = Map.groupBy(names, (name) => `${trials[name]?.machine}, ${trials[name]?.at.slice(0, 10)}`)
  if (runs.size === 1) return `On ${[...runs.keys()].join()}.`
  return `${Array.from(runs, ([run, these]) => `On ${run}: ${these.join(', ')}`).join('. ')}.`
}

function notCovered(names: readonly string[], trials: Results['trials']): string[] {
  const missing = Object.keys(TRIALS).filter((name) => !names.includes(name))
  const leftOut = names.flatMap((name) => (trials[name]?.leftOut ? [`\`${name}\`: ${trials[name].leftOut}`] : []))
  return [...(missing.length > 0 ? [`\`${missing.join('`, `')}\`: no figures yet`] : []), ...leftOut, NEVER_COVERED]
}
