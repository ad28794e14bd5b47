import type { Payload } from '../../../src/domain/incident.ts'
import { groupedAlert } from '../../../test/harness/load/payload.ts'
import { randomFrom } from '../../../test/harness/random.ts'

const WORDS = Array.from({ length: 2_000 }, (_, n) =>
  [...n.toString()].map((digit) => 'kolimparet'[Number(digit)]).join(''),
)
const SERVICES = 500
const TITLE_WORDS = 6

/** Returns an alert of a problem, a kilobyte. A few words are frequent, as in a language. */
export function alertOf(problem: number, status: 'firing' | 'resolved'): Payload {
  const random = randomFrom(Math.imul(problem + 1, 0x9e3779b1))
  const service = `service-${Math.floor(SERVICES * random() ** 2)}`
  const words = Array.from({ length: TITLE_WORDS }, () => WORDS[Math.floor(WORDS.length * random() ** 3)])
  const labels = {
    ...{ alertname: words.join(' '), service, job: service, env: 'live', severity: 'warning' },
    ...{ cluster: `c${problem % 5}`, instance: `host-${problem}` },
  }
  const alerts = [{ status, labels, annotations: { summary: words.join(' ') } }]
  return {
    ...groupedAlert(words.join(' ')),
    groupKey: `{}:{problem="${problem}"}`,
    status,
    groupLabels: labels,
    commonLabels: labels,
    alerts,
  }
}
