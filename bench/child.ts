import { errorStack } from '../src/text/error-text.ts'
import type { CaseMessage, CaseRequest } from './case-protocol.ts'
import { PROFILE_DIR, recordSelf } from './profile/services.ts'
import type { Row, Tables, Trial } from './report.ts'

/** The process of one case: takes a `CaseRequest` as its only argument and sends `CaseMessage`s to its parent. */
const { module, at, options }: CaseRequest = JSON.parse(process.argv[2] ?? '')

const tell = (message: CaseMessage) =>
  new Promise<void>((resolve) => process.send?.(message, () => resolve()) ?? resolve())

try {
  const trial = (await import(module)) as Trial
  const one = trial.cases?.(options)[at] ?? {}
  const recording = PROFILE_DIR === '' ? undefined : await recordSelf()
  const found = await trial.run(
    {
      ...options,
      progress: (what) => void tell({ kind: 'progress', what }),
      curve: (curve) => void tell({ kind: 'curve', curve }),
    },
    one as never,
  )
  await recording?.()
  await tell({ kind: 'tables', tables: isRows(found) ? { [trial.title]: found } : found })
  process.exit(0)
} catch (error) {
  await tell({ kind: 'failed', error: errorStack(error) })
  process.exit(1)
}

function isRows(found: readonly Row[] | Tables): found is readonly Row[] {
  return Array.isArray(found)
}
