import { labelled } from './answers.ts'
import { counter, type Family, gauge, one, seconds } from './family.ts'

const BRIEF_MS = [5, 10, 25, 50, 100, 250, 500, 1_000, 2_500]

/** The history of problems. */
export const BRIEF: readonly Family[] = [
  seconds('tocsin_brief_seconds', 'Seconds until the brief of a problem was answered.', BRIEF_MS, ({ brief }) => [
    { of: brief.tookMs },
  ]),
  counter(
    'tocsin_brief_late_total',
    'Sections that briefs left out because they would have taken too long.',
    ({ brief }) => labelled(['section'], brief.late),
  ),
  gauge('tocsin_openings', 'Times of firing that are kept for briefs.', ({ storage }) => one(storage?.openings)),
  counter('tocsin_changes_total', 'Changes that came, by outcome.', ({ brief }) =>
    labelled(['outcome'], brief.changes),
  ),
]
