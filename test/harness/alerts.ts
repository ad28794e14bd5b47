import type { IncidentPage } from '../../src/api/incident.ts'
import { admin } from './net/requests.ts'

interface AlertToPost {
  readonly labels: { readonly [name: string]: string }
  /** Milliseconds from now; negative: it is resolved. Absent: no `endsAt`. */
  readonly forMs?: number
  readonly [field: string]: unknown
}

/** Posts alerts as Prometheus does. */
export function postAlerts(url: string, alerts: readonly AlertToPost[], headers: { [name: string]: string } = {}) {
  const body = alerts.map(({ forMs, ...alert }) => ({
    ...(forMs !== undefined && { endsAt: new Date(Date.now() + forMs).toISOString() }),
    startsAt: new Date(Date.now() - 3_600_000).toISOString(),
    generatorURL: 'http://prometheus-a:9090/graph',
    ...alert,
  }))
  return fetch(`${url}/api/v2/alerts`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', ...headers },
    body: JSON.stringify(body),
  })
}

/** Returns `title status` of all incidents of the door, oldest first. */
export async function alertNews(url: string): Promise<string[]> {
  const found: string[] = []
  let cursor = ''
  for (;;) {
    const page = await admin<IncidentPage>(url, `/api/admin/incidents?source=alertmanager&limit=200${cursor}`)
    found.push(...page.incidents.map(({ title, reported_status }) => `${title} ${reported_status}`))
    if (page.next_cursor === null) return found.reverse()
    cursor = `&cursor=${encodeURIComponent(page.next_cursor)}`
  }
}

/** Throws when the incidents of one alert do not alternate between firing and resolved. */
export function assertAlternate(news: readonly string[]): void {
  const last = new Map<string, string>()
  for (const each of news) {
    const [title = '', status = ''] = each.split(' ')
    if ((last.get(title) ?? 'resolved') === status) throw new Error(`${title} is ${status} twice`)
    last.set(title, status)
  }
}
