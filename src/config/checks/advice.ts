import type { Config } from '../complete.ts'

/** Incidents of a large storm. */
const ENOUGH_INCIDENTS = 100_000

/** Returns advice about settings that work and could be better, one sentence each. It is given on request only. */
export function adviceOn({ alert, storage }: Pick<Config, 'alert' | 'storage'>): string[] {
  const folding = Object.values(alert.channels).filter(({ enable, storm }) => enable && storm.enable)
  if (folding.length === 0 || storage.maxIncidents >= ENOUGH_INCIDENTS) return []
  const names = folding.map(({ name }) => name).join(', ')
  const [kept, enough] = [storage.maxIncidents, ENOUGH_INCIDENTS].map((count) => count.toLocaleString('en'))
  return [
    `storage.${storage.type}.max_incidents: keeps ${kept} finished incidents, and one storm may bring more; ${names} may send digests, which list the incidents that are still kept: consider ${enough}`,
  ]
}
