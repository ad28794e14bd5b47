import type { Draft } from '../../src/domain/incident.ts'
import { incidentId } from '../../src/domain/incident-id.ts'
import { recognise } from '../../src/intake/recognise.ts'
import { groupedAlert } from '../../test/harness/load/payload.ts'
import { randomFrom } from '../../test/harness/random.ts'

const VOCABULARY = Array.from({ length: 20_000 }, (_, n) => `w${n.toString(36)}`)
const SEVERITIES = ['critical', 'warning', 'warning', 'info', 'info', 'info']
const SERVICES = 500

/**
 * Returns a function that makes the nth incident of a kilobyte. Word frequencies are as uneven as those of a language;
 * the same n gives the same content.
 */
export function draftMaker(): (n: number) => Draft {
  let now = Date.UTC(2026, 0, 1)
  return (n) => {
    now += 1_000
    const random = randomFrom(Math.imul(n + 1, 0x9e3779b1))
    const word = () => VOCABULARY[Math.floor(VOCABULARY.length * random() ** 4)]
    const service = `service-${Math.floor(SERVICES * random() ** 2)}`
    const labels = {
      alertname: 'DiskWillFillSoon',
      job: service,
      instance: `db-${Math.floor(5_000 * random())}.west.internal:9100`,
      severity: SEVERITIES[Math.floor(SEVERITIES.length * random())],
    }
    const annotations = { summary: Array.from({ length: 40 }, word).join(' '), host: `host${n % 10_000}` }
    const status = random() < 0.3 ? 'resolved' : 'firing'
    const payload = { ...groupedAlert(), status, commonLabels: labels, alerts: [{ status, labels, annotations }] }
    const content = Buffer.from(JSON.stringify(payload))
    return { ...recognise(payload), service, id: idOf(now, n + 1), source: 'webhook', createdAt: now, content }
  }
}

function idOf(ms: number, number: number): string {
  const time = ms.toString(16).padStart(12, '0')
  return incidentId(`${time.slice(0, 8)}-${time.slice(8)}-7000-8000-`, number)
}
