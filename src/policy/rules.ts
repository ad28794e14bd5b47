import { anyAlertFits, type Condition, compileCondition, fits } from './condition.ts'
import { FIELDS, type Field, type SubjectReader } from './fields.ts'
import { MatchCache } from './matcher.ts'
import type { ConditionSettings, RouteSettings } from './route.ts'

/** Conditions in the order in which they are compared: cheap ones first. */
export interface OrderedConditions {
  /** On fields that are read without the payload. */
  readonly onFields: readonly Condition[]
  /** On labels: one alert has to fit all. */
  readonly onLabels: readonly Condition[]
  readonly onPayload: readonly Condition[]
}

export interface Rule extends OrderedConditions {
  readonly settings: RouteSettings
}

/** Throws for settings that the configuration would refuse. */
export function compileRules(routes: readonly RouteSettings[]): Rule[] {
  const cache = new MatchCache()
  return routes.map((settings) => ({ settings, ...orderedConditions(settings.conditions, cache) }))
}

/** Throws for conditions that the configuration would refuse. */
export function orderedConditions(settings: readonly ConditionSettings[], cache: MatchCache): OrderedConditions {
  const conditions = settings.map((condition) => compileCondition(condition, cache))
  const ofKind = (kind: Condition['part']['kind']) => conditions.filter(({ part }) => part.kind === kind)
  const onFields = [...ofKind('min severity'), ...ofKind('field').sort(byCost)]
  const [onLabels, onPayload] = [ofKind('label').sort(byCost), ofKind('payload').sort(byCost)]
  return { onFields, onLabels, onPayload }
}

/** Returns whether the conditions on labels and payload fit. */
export const fitsPayload = ({ onLabels, onPayload }: OrderedConditions, reader: SubjectReader): boolean =>
  (onLabels.length === 0 || anyAlertFits(onLabels, reader)) && onPayload.every((condition) => fits(condition, reader))

const byCost = (one: Condition, other: Condition) => cost(one) - cost(other)
const cost = ({ matcher }: Condition) => (matcher.patterns.every(({ kind }) => kind === 'literal') ? 0 : 1)

/** Returns the fields that conditions look at without the payload. */
export const comparedFields = (all: readonly OrderedConditions[]): Field[] =>
  FIELDS.filter((field) =>
    all.some(({ onFields }) =>
      onFields.some(({ part }) => (part.kind === 'field' ? part.name === field : field === 'severity')),
    ),
  )
