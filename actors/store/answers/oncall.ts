import type { OncallPagesPort } from '../../../src/store/oncall/presses.ts'
import type { RunReads } from '../../../src/store/oncall/records.ts'
import type { OncallChange } from '../../../src/store/ports/oncall.ts'
import type { Answers } from '../../messages/query.ts'
import type { StorageQueries } from '../../messages/storage-queries.ts'

interface OncallDeps {
  /** Absent: no escalation is configured, so no message to a person was sent. */
  readonly pages: OncallPagesPort | undefined
  readonly runs: RunReads | undefined
  /** Runs a change, publishes its events and wakes the storage actor. */
  changed<T extends { readonly oncall: readonly OncallChange[] }>(change: () => T): T
}

/** Answers about messages to people. */
export function oncallAnswers({ pages, runs, changed }: OncallDeps) {
  return {
    'oncall.page': ({ message }) => pages?.view(message),
    'oncall.pressPage': ({ message, action }) =>
      pages === undefined ? { kind: 'unknown' } : changed(() => pages.press(message, action)).pressed,
    'oncall.runs': () => runs?.list() ?? { runs: [], open: 0 },
    'oncall.escalate': ({ id, by }) =>
      pages !== undefined && changed(() => ({ oncall: [], isDone: pages.escalate(id, by) })).isDone,
    'oncall.reported': ({ report }) =>
      pages !== undefined && changed(() => pages.reported(report) ?? UNKNOWN) !== UNKNOWN,
  } satisfies Partial<Answers<StorageQueries>>
}

const UNKNOWN = { oncall: [] }
