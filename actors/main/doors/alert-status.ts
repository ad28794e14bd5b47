import { LRUCache } from 'lru-cache'
import { uuidOf } from '../../../src/alertmanager/silences.ts'
import type { Entry } from '../../../src/alertmanager/table.ts'
import type { AlertStatus } from '../../../src/alertmanager/views.ts'
import { incidentNumberOf } from '../../../src/domain/incident-id.ts'
import type { SubjectReader } from '../../../src/policy/fields.ts'
import { compileFits } from '../../../src/policy/silences/silence.ts'
import type { PlainSilence } from '../../../src/store/ports/silences.ts'
import type { AlertRules } from './alert-rules.ts'

type Fits = (reader: SubjectReader) => boolean

interface InForce {
  readonly silence: PlainSilence
  readonly fits: Fits
  /** Undefined: its times decide. */
  readonly isCause: Fits | undefined
  /** Fingerprints of what keeps it in force; found once. */
  causes?: readonly string[]
}

interface Facts {
  readonly silences: readonly PlainSilence[]
  /** All alerts that fire. */
  readonly firing: readonly Entry[]
  readonly applied: number
}

/** Silences whose conditions are kept compiled. */
const MAX_KEPT = 2_000

/** Opens the states of alerts, by the silences that are in force at the request. Conditions are compiled once. */
export function openAlertStates() {
  const compiled = new LRUCache<string, Fits>({
    max: MAX_KEPT,
    memoMethod: (conditions) => compileFits(JSON.parse(conditions)),
  })
  const fitsOf = (conditions: PlainSilence['settings']['conditions']) => compiled.memo(JSON.stringify(conditions))

  /**
   * Returns the function that finds the state of an alert.
   *
   * @param silences live ones
   * @param applied number of the last incident that is applied
   */
  return function statesOf({ silences, firing, applied }: Facts, rules: AlertRules): (entry: Entry) => AlertStatus {
    const inForce = silences
      .filter(({ state }) => state === 'active')
      .map((silence): InForce => {
        const { conditions, while: causes } = silence.settings
        return { silence, fits: fitsOf(conditions), isCause: causes && fitsOf(causes) }
      })

    function causesOf(each: InForce): readonly string[] {
      if (each.causes !== undefined) return each.causes
      const { isCause, silence } = each
      const known = new Set(firing.map(({ problem }) => problem))
      const ofAlerts = firing.filter((entry) => isCause?.(rules.reader(entry)))
      const others = silence.causes.filter((fingerprint) => !known.has(fingerprint))
      each.causes = [...ofAlerts.map(({ fingerprint }) => fingerprint), ...others]
      return each.causes
    }

    return (entry) => {
      const isKnown =
        entry.incident === '' ? entry.state !== 'committing' : (incidentNumberOf(entry.incident) ?? 0) <= applied
      if (!isKnown) return UNPROCESSED
      if (inForce.length === 0) return ACTIVE
      const reader = rules.reader(entry)
      const holding = inForce.filter(({ fits, isCause }) => fits(reader) && isCause?.(reader) !== true)
      if (holding.length === 0) return ACTIVE
      const silencedBy = holding.filter(({ isCause }) => isCause === undefined).map(({ silence }) => uuidOf(silence.id))
      const inhibitedBy = new Set(holding.filter(({ isCause }) => isCause !== undefined).flatMap(causesOf))
      return { state: 'suppressed', silencedBy, inhibitedBy: [...inhibitedBy] }
    }
  }
}

const ACTIVE: AlertStatus = { state: 'active', silencedBy: [], inhibitedBy: [] }
const UNPROCESSED: AlertStatus = { state: 'unprocessed', silencedBy: [], inhibitedBy: [] }
