const HOUR_MS = 3_600_000
/** Values of `alertname` over all alerts. */
const NAMES = 50

/** Returns an alert of about 700 bytes as Prometheus posts it, with an instance of its own. */
export function alertOf(instance: string, name = 'DiskWillFillSoon'): object {
  const now = Date.now()
  return {
    labels: { alertname: name, instance: `${instance}.west.internal:9100`, job: 'node', severity: 'critical' },
    annotations: {
      summary: 'The disk will be full within four hours',
      description:
        'At the rate of the last six hours /var/lib/postgresql runs out of space before the morning. '.repeat(4),
    },
    startsAt: new Date(now).toISOString(),
    endsAt: new Date(now + HOUR_MS).toISOString(),
    generatorURL: 'http://prometheus.internal:9090/graph?g0.expr=predict_linear',
  }
}

/** Returns the body of a request whose alerts are new each time it is sent. */
export const newAlerts = (perRequest: number): string =>
  JSON.stringify(Array.from({ length: perRequest }, () => alertOf('db-@SERIAL@')))

/** Returns requests of `perRequest` alerts, which are the same each time they are sent. */
export function sameAlerts(count: number, perRequest: number): string[] {
  const alerts = Array.from({ length: count }, (_, at) => alertOf(`db-${at}`, `Alert${at % NAMES}`))
  const requests = Math.ceil(count / perRequest)
  return Array.from({ length: requests }, (_, at) =>
    JSON.stringify(alerts.slice(at * perRequest, (at + 1) * perRequest)),
  )
}

/** Posts requests one after the other. Throws on any status but 200. */
export async function postAlerts(url: string, requests: readonly string[]): Promise<void> {
  for (const body of requests) {
    const headers = { 'Content-Type': 'application/json' }
    const answer = await fetch(`${url}/api/v2/alerts`, { method: 'POST', headers, body })
    if (!answer.ok) throw new Error(`${url}: ${answer.status} ${await answer.text()}`)
    await answer.arrayBuffer()
  }
}
