import { z } from 'zod'
import { checkPart, type GroupSettings, MAX_PARTS } from '../../policy/bundles/group.ts'
import { requiredDuration } from '../../settings/fields.ts'
import { errorText } from '../../text/error-text.ts'
import { suggest } from '../suggest.ts'

const NOT_A_GROUP = 'must be "none", or a map such as { by: [labels.alertname, labels.cluster], interval: 5m }'
const NOT_A_LIST = 'must be a list of fields to group by, such as [labels.alertname]; [] makes one group of all'
const KEYS = ['by', 'interval']
const DEFAULT_INTERVAL = '5m'
const intervalMs = requiredDuration(10_000)

type Refuse = (path: (string | number)[], message: string) => void

/** The grouping of a rule, or of `noise`: `none`, or what incidents of one group have in common. */
export const group = z
  .union([z.string(), z.record(z.string(), z.unknown())], { error: NOT_A_GROUP })
  .transform((given, ctx): GroupSettings | 'none' => {
    if (given === 'none') return given
    const refuse: Refuse = (path, message) => void ctx.addIssue({ code: 'custom', path, message })
    if (typeof given === 'string') refuse([], NOT_A_GROUP)
    else return settingsOf(given, refuse)
    return z.NEVER
  })

function settingsOf(given: { readonly [key: string]: unknown }, refuse: Refuse): GroupSettings {
  for (const key of Object.keys(given).filter((each) => !KEYS.includes(each))) {
    const nearest = suggest(key, KEYS)
    refuse([key], `is not known${nearest === undefined ? '' : `; did you mean "${nearest}"?`}`)
  }
  const interval = intervalMs.safeParse(given.interval ?? DEFAULT_INTERVAL)
  if (!interval.success) refuse(['interval'], interval.error.issues[0]?.message ?? '')
  return { by: partsOf(given.by, refuse), intervalMs: interval.data ?? 0 }
}

function partsOf(by: unknown, refuse: Refuse): readonly string[] {
  if (!Array.isArray(by)) {
    refuse(['by'], NOT_A_LIST)
    return []
  }
  if (by.length > MAX_PARTS) refuse(['by'], `has more than ${MAX_PARTS} entries`)
  for (const [at, part] of by.entries())
    try {
      if (typeof part !== 'string') throw new Error('must be text')
      if (by.indexOf(part) < at) throw new Error('is listed twice')
      checkPart(part)
    } catch (error) {
      refuse(['by', at], errorText(error))
    }
  return by
}
