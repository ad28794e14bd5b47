import type { ExplainStep } from '../../../../src/api/noise/explain.ts'
import type { SilenceRecord } from '../../../../src/api/noise/silence.ts'
import type { Subject } from '../../../../src/policy/fields.ts'
import type { Ask } from '../../../messages/query.ts'
import type { StorageQueries } from '../../../messages/storage-queries.ts'
import { openSilencing } from '../../../wiring/open-policy.ts'
import { childrenOf, liveSilences } from './live-silences.ts'
import { EMPTY } from './steps.ts'

/** Returns the step of the silence that would hold an incident at a time in epoch milliseconds. */
export async function trialSilenceStep(
  askStorage: Ask<StorageQueries>,
  subject: Subject,
  now: number,
): Promise<ExplainStep> {
  const step = { ...EMPTY, stage: 'silence' } as const
  const live = await liveSilences(askStorage)
  const children = await Promise.all(
    live.filter(({ children }) => children > 0).map(({ id }) => childrenOf(askStorage, id)),
  )
  const open = [...live, ...children.flat()].flatMap((silence) => windowAt(silence, now))
  if (open.length > 0) {
    const compile = await openSilencing()
    const plain = await askStorage({ kind: 'plainSilences', live: true })
    const settings = new Map(plain.map((each) => [each.id, each.settings]))
    const found = open.find(({ silence: { id } }) => {
      const own = settings.get(id)
      return own !== undefined && compile(own).fits(subject)
    })
    if (found !== undefined) {
      const { id, name, owner, text, line } = found.silence
      const because = `${text} fits; silence ${id} of ${owner}, ${found.until}`
      return { ...step, subject: name, verdict: 'hold', because, line, silence: id }
    }
  }
  return { ...step, verdict: 'no', because: 'no silence that is active then fits it' }
}

/**
 * Returns the silence with the end of its window that is open at a time; empty: none is. One with causes that is in force
 * is taken to stay so: what fires later is not known. One with `equal` holds nothing itself.
 */
function windowAt(silence: SilenceRecord, now: number) {
  if (silence.while_text !== null) {
    const isOpen = silence.equal === null && silence.state === 'active' && now < Date.parse(silence.until ?? '')
    return isOpen ? [{ silence, until: `while ${silence.while_text} fires` }] : []
  }
  const own = silence.ends_at === null ? [] : [{ from: silence.starts_at, to: silence.ends_at }]
  const windows = silence.schedule === null ? own : silence.windows
  const open = windows.find(({ from, to }) => Date.parse(from) <= now && now < Date.parse(to))
  return open === undefined ? [] : [{ silence, until: `until ${open.to}` }]
}
