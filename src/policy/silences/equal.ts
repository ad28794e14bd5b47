import { type LabelSet, labelOf } from '../fields.ts'
import { exactValue } from '../matcher.ts'
import type { ConditionSettings } from '../route.ts'
import type { EqualValues, SilenceSettings } from './settings.ts'

const MAX_NAME = 200
/** Longer values, together, make no child: its conditions are kept, and compared with every incident. */
const MAX_VALUES = 4_096

/** Returns one text for values, which no others have. */
export const keyOf = (values: EqualValues): string => JSON.stringify(values)

/** Returns the different values of labels; a label that an alert does not have is an empty text. */
export function differentValues(alerts: readonly LabelSet[], names: readonly string[]): readonly EqualValues[] {
  const values = alerts.map((labels) => names.map((name) => labelOf(labels, name)))
  return [...new Map(values.map((each) => [keyOf(each), each])).values()]
}

/** Returns the child of a silence with `equal` for values; undefined: these are too long. */
export function childOf(silence: number, settings: SilenceSettings, values: EqualValues): SilenceSettings | undefined {
  if (values.join('').length > MAX_VALUES) return undefined
  const { equal = [], conditions, while: causes = [], name, ...rest } = settings
  const own = equal.map((label, nth): ConditionSettings => {
    const value = values[nth] ?? ''
    return { field: `labels.${label}`, values: [exactValue(value)], where: '' }
  })
  const words = equal.map((label, nth) => `${label}=${values[nth]}`).join(', ')
  return {
    ...rest,
    name: `${name} (${words})`.slice(0, MAX_NAME),
    conditions: [...conditions, ...own],
    while: [...causes, ...own],
    parent: { silence, values },
  }
}
