import type { Draft } from '../../src/domain/commit.ts'
import { createIdMaker } from '../../src/intake/id.ts'
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
  const newId = createIdMaker(() => now)
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
    return { ...recognise(payload), service, id: newId(), source: 'webhook', createdAt: now, content }
  }
}
