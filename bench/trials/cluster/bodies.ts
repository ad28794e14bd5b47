import { groupedAlert } from '../../../test/harness/load/payload.ts'

const COUNT = 64
const SERVICES = ['ledger', 'search', 'checkout', 'mail', 'inventory', 'sessions', 'billing', 'gateway']
const WORDS =
  `the a of on in for and is not more than less minutes hours replica primary queue disk latency memory errors requests
  connection refused timeout reading writing partition consumer lag above below threshold since last deploy restart
  certificate expires node pod container zone rate budget burn quota retries backlog snapshot index table lock upstream
  downstream health check probe failed slow growing full unreachable degraded`.split(/\s+/)
const DESCRIPTION_WORDS = 48

/**
 * Bodies of about 1 kB that differ as alerts of one monitoring system do, the same in every run: PostgreSQL compresses
 * what is alike.
 */
export const BODIES: readonly string[] = Array.from({ length: COUNT }, (_, nth) => JSON.stringify(alertOf(nth)))

function alertOf(nth: number) {
  const next = numbersFrom(nth + 1)
  const service = SERVICES[next() % SERVICES.length] as string
  const instance = `${service}-${next() % 500}.west.internal:9100`
  const group = groupedAlert(`${service} of ${instance} at ${next() % 10_000}`)
  const [alert] = group.alerts as { labels: object; annotations: object }[]
  const labels = { ...alert?.labels, instance, job: service }
  const description = Array.from({ length: DESCRIPTION_WORDS }, () => WORDS[next() % WORDS.length]).join(' ')
  const fingerprint = next().toString(16).padStart(8, '0') + next().toString(16).padStart(8, '0')
  const varied = { ...alert, labels, annotations: { ...alert?.annotations, description }, fingerprint }
  return { ...group, commonLabels: labels, alerts: [varied] }
}

/** Returns the generator of numbers below 2^31; see Park and Miller, "Random number generators", 1988. */
function numbersFrom(seed: number): () => number {
  const modulus = 2 ** 31 - 1
  let state = (seed * 48_271 * 9_973) % modulus
  return () => {
    state = (state * 48_271) % modulus
    return state
  }
}
