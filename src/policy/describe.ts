import type { Condition } from './condition.ts'
import { labelOf, type SubjectReader } from './fields.ts'
import type { RouteSettings } from './route.ts'

const MAX_SHOWN = 80
const MAX_VALUES = 3

type Described = Pick<RouteSettings, 'conditions' | 'during' | 'outside'>

/** Returns a rule's conditions in words, such as `service pay* or db; severity at least high`. */
export function conditionsText({ conditions, during, outside }: Described): string {
  const parts = conditions.map(({ field, values }) =>
    field === 'min_severity' ? `severity at least ${values[0]}` : `${field} ${wantedText(values)}`,
  )
  if (during !== undefined) parts.push(`during ${during}`)
  if (outside !== undefined) parts.push(`outside ${outside}`)
  return parts.length > 0 ? parts.join('; ') : 'every incident'
}

/** Returns why a condition fits or does not: `service payments fits pay*`, `service storage does not fit pay*`. */
export function comparedText({ part, settings }: Condition, reader: SubjectReader, isFit: boolean): string {
  if (part.kind === 'min severity')
    return `severity ${shown(reader.field('severity'))} is ${isFit ? 'at least' : 'below'} ${settings.values[0]}`
  const verdict = isFit ? 'fits' : 'does not fit'
  return `${settings.field} ${valuesText(valuesOf({ part }, reader))} ${verdict} ${wantedText(settings.values)}`
}

function valuesOf({ part }: Pick<Condition, 'part'>, reader: SubjectReader): readonly string[] {
  switch (part.kind) {
    case 'field':
      return [reader.field(part.name)]
    case 'min severity':
      return [reader.field('severity')]
    case 'label':
      return reader.labelSets().map((labels) => labelOf(labels, part.name))
    case 'payload':
      return reader.payloadValues(part.path)
    default:
      return part satisfies never
  }
}

const wantedText = (values: readonly string[]) => values.map(shown).join(' or ')

function valuesText(values: readonly string[]): string {
  const distinct = [...new Set(values)]
  const rest = distinct.length - MAX_VALUES
  return `${distinct.slice(0, MAX_VALUES).map(shown).join(', ')}${rest > 0 ? ` and ${rest} more` : ''}`
}

/** Quotes an empty text, and cuts a long one. */
function shown(text: string): string {
  if (text === '') return '""'
  return text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN)}…` : text
}
