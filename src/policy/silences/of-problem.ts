import type { Problem } from '../problem.ts'
import type { SilenceSettings } from './settings.ts'

const MAX_NAME = 100

/** Returns the parts of a silence that hold one problem, and no other. */
export const ofProblem = ({
  id,
  fingerprint,
  title,
}: Pick<Problem, 'id' | 'fingerprint' | 'title'>): Required<
  Pick<SilenceSettings, 'name' | 'where' | 'conditions' | 'problem'>
> => ({
  name: title.slice(0, MAX_NAME).toWellFormed(),
  where: '',
  conditions: [{ field: 'fingerprint', values: [fingerprint], where: '', exact: true }],
  problem: { id, fingerprint },
})
