import { SEVERITY_LEVELS, severityRank } from '../domain/severity.ts'
import { FIELDS, type Field, type LabelSet, labelOf, type SubjectReader } from './fields.ts'
import { compileMatcher, exactMatcher, type MatchCache, type Matcher } from './matcher.ts'
import type { ConditionSettings } from './route.ts'

/** Levels that `min_severity` takes, loudest first. `debug` would match every incident. */
const MIN_SEVERITIES: readonly string[] = SEVERITY_LEVELS.slice(0, -1)

/** Part of an incident that a condition looks at. */
type ComparedPart =
  | { readonly kind: 'field'; readonly name: Field }
  | { readonly kind: 'min severity'; readonly rank: number }
  | { readonly kind: 'label'; readonly name: string }
  | { readonly kind: 'payload'; readonly path: string }

/** A condition of a rule, compiled. */
export interface Condition {
  readonly settings: ConditionSettings
  readonly part: ComparedPart
  readonly matcher: Matcher
}

/** Fields whose values are lower case always. */
const LOWER_CASE: ReadonlySet<string> = new Set<Field>(['sender', 'source', 'severity', 'status'])

/** Throws an error whose message follows the name of the key. */
export function compileCondition(settings: ConditionSettings, cache: MatchCache): Condition {
  const part = partOf(settings)
  if (settings.exact) return { settings, part, matcher: exactMatcher(settings.values) }
  const values = part.kind === 'field' && LOWER_CASE.has(part.name) ? settings.values.map(lowered) : settings.values
  return { settings, part, matcher: compileMatcher(values, cache) }
}

/** Leaves a regular expression as it is: in lower case `\D` would become `\d`. */
const lowered = (value: string) => (/^!?\//.test(value) ? value : value.toLowerCase())

function partOf({ field, values }: ConditionSettings): ComparedPart {
  const known = FIELDS.find((name) => name === field)
  if (known !== undefined) return { kind: 'field', name: known }
  if (field === 'min_severity') return { kind: 'min severity', rank: minSeverity(values) }
  if (/^labels\../.test(field)) return { kind: 'label', name: field.slice('labels.'.length) }
  if (/^payload\../.test(field)) return { kind: 'payload', path: field.slice('payload.'.length) }
  throw new Error(`is not a field; known: ${KNOWN_FIELDS.join(', ')}`)
}

const KNOWN_FIELDS: readonly string[] = [...FIELDS, 'min_severity', 'labels.<name>', 'payload.<path>']

function minSeverity(values: readonly string[]): number {
  const rank = MIN_SEVERITIES.indexOf(values[0] ?? '')
  if (rank < 0 || values.length > 1) throw new Error(`must be one of ${MIN_SEVERITIES.join(', ')}`)
  return rank
}

/** Returns whether any value of the incident fits. Label conditions of one rule are compared together: `anyAlertFits`. */
export function fits({ part, matcher }: Condition, reader: SubjectReader): boolean {
  switch (part.kind) {
    case 'field':
      return matcher.matches(reader.field(part.name))
    case 'min severity':
      return severityRank(reader.field('severity')) <= part.rank
    case 'label':
      return fittingAlerts(reader.labelSets(), { part, matcher }).length > 0
    case 'payload':
      return reader.payloadValues(part.path).some(matcher.forIncident())
    default:
      return part satisfies never
  }
}

/** Returns whether one alert fits all label conditions; conditions on other parts are ignored. */
export function anyAlertFits(conditions: readonly Condition[], reader: SubjectReader): boolean {
  return fittingLabels(conditions, reader).length > 0
}

/** Returns the labels of each alert that fits all label conditions. */
export function fittingLabels(conditions: readonly Condition[], reader: SubjectReader): readonly LabelSet[] {
  return conditions.reduce(fittingAlerts, reader.labelSets())
}

function fittingAlerts(alerts: readonly LabelSet[], { part, matcher }: Pick<Condition, 'part' | 'matcher'>) {
  if (part.kind !== 'label') return alerts
  const matches = matcher.forIncident()
  return alerts.filter((labels) => matches(labelOf(labels, part.name)))
}
