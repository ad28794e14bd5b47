import type { ExplainStep } from '../../../../src/api/noise/explain.ts'
import { conditionsText } from '../../../../src/policy/describe.ts'
import type { Subject } from '../../../../src/policy/fields.ts'
import { isoTime } from '../../../../src/text/iso-time.ts'
import type { Ask } from '../../../messages/query.ts'
import type { StorageQueries } from '../../../messages/storage-queries.ts'
import { openSilencing } from '../../../wiring/open-policy.ts'
import { EMPTY } from './steps.ts'

/**
 * Returns the step of the silence that would hold an incident at a time in epoch milliseconds. One with causes that is in
 * force is taken to stay so: what fires later is not known.
 */
export async function trialSilenceStep(
  askStorage: Ask<StorageQueries>,
  subject: Subject,
  now: number,
): Promise<ExplainStep> {
  const step = { ...EMPTY, stage: 'silence' } as const
  const live = await askStorage({ kind: 'plainSilences', live: true })
  const open = live.filter(({ state, settings }) =>
    settings.while === undefined ? settings.startsAt <= now && now < settings.endsAt : state === 'active',
  )
  const compile = open.length > 0 ? await openSilencing() : undefined
  for (const { id, settings } of open) {
    const compiled = compile?.(settings)
    const window = compiled?.windowAt(now)
    if (!window?.active || !compiled?.fits(subject)) continue
    const until = settings.while ? `while ${conditionsText({ conditions: settings.while })} fires` : untilText(window)
    const because = `${conditionsText(settings)} fits; silence ${id} of ${settings.owner}, ${until}`
    return { ...step, subject: settings.name, verdict: 'hold', because, line: settings.where || null, silence: id }
  }
  return { ...step, verdict: 'no', because: 'no silence that is active then fits it' }
}

const untilText = ({ until }: { readonly until: number }) => `until ${isoTime(until)}`
