/** A problem that monitoring reports. */
interface Problem {
  readonly alert: string
  readonly service: string
  readonly severity: 'critical' | 'high' | 'warning' | 'info'
  readonly summary: string
}

const PROBLEMS: readonly Problem[] = [
  ['CheckoutErrorRate', 'checkout', 'critical', '6.1 % of the payments fail'],
  ['ReplicationLag', 'orders-db', 'warning', 'Standby is 95 s behind'],
  ['CertificateExpires', 'edge-proxy', 'warning', 'The certificate of shop.example.net ends in 6 days'],
  ['QueueGrows', 'mail-relay', 'warning', 'The outbound queue has grown for 15 minutes'],
  ['PodRestarts', 'recommendations', 'warning', '7 restarts within 10 minutes'],
  ['LatencyHigh', 'search-api', 'high', 'p99 is 2.4 s, the objective is 800 ms'],
  ['BackupLate', 'vault', 'high', 'The last full backup is 31 hours old'],
  ['MemoryPressure', 'session-cache', 'high', '93 % of the memory limit is in use'],
  ['DeployFinished', 'storefront', 'info', 'Release 2026.11.3 runs on all pods'],
  ['NodeNotReady', 'worker-09', 'high', 'The kubelet has not reported for 4 minutes'],
  ['RefundsStuck', 'ledger', 'high', '41 refunds wait for more than an hour'],
  ['RateLimited', 'geo-lookup', 'info', 'The provider answered 429 to 2 % of the requests'],
  ['DiskPredictedFull', 'metrics-store-eu-central', 'warning', 'Full within 3 days at the current rate'],
  ['LoginFailures', 'identity', 'critical', 'A third of the logins fail'],
].map(([alert = '', service = '', severity = '', summary = '']) => ({ alert, service, severity, summary }) as Problem)

/** Returns the alert with a number. The order is fixed, and every second alert is a resolution. */
export function alertNumber(n: number): object {
  const problem = PROBLEMS[(n * 5) % PROBLEMS.length] as Problem
  return groupOf(problem, n % 2 === 1)
}

function groupOf({ alert, service, severity, summary }: Problem, resolved: boolean): object {
  const status = resolved ? 'resolved' : 'firing'
  const labels = { alertname: alert, service, severity, cluster: 'fra-1' }
  const annotations = { summary, runbook_url: `https://runbooks.example.net/${alert.toLowerCase()}` }
  const now = Date.now()
  const one = {
    ...{ status, labels, annotations },
    startsAt: new Date(now - 240_000).toISOString(),
    endsAt: resolved ? new Date(now).toISOString() : '0001-01-01T00:00:00Z',
    generatorURL: `https://prometheus.example.net/graph?g0.expr=${alert}`,
  }
  return {
    ...{ version: '4', receiver: 'tocsin', status, truncatedAlerts: 0 },
    groupKey: `{}:{alertname="${alert}", service="${service}"}`,
    alerts: [one],
    ...{ groupLabels: { alertname: alert }, commonLabels: labels, commonAnnotations: annotations },
    externalURL: 'https://alertmanager.example.net',
  }
}

const DISK: Problem = {
  alert: 'DiskAlmostFull',
  service: 'orders-db',
  severity: 'critical',
  summary: 'Less than 4 % left on db-03. Writes stop in about 38 minutes.',
}

/** The incident of `message.png`. */
const diskAlert = () => groupOf(DISK, false)

/** The latest incidents of `dashboard.png`, oldest first; the last one is that of `message.png`. */
export const latest = () => [
  groupOf(PROBLEMS[2] as Problem, false),
  { title: 'Nightly backup failed', service: 'vault', severity: 'high', message: 'Upload stopped at 61 %' },
  groupOf({ ...DISK, alert: 'ReplicationLag', severity: 'warning', summary: 'Standby is 95 s behind' }, true),
  {
    ...{ Source: 'AI Agent', AgentSource: 'prod-loki', AlertName: 'Connections to the session cache are refused' },
    ...{ ServiceName: 'login', Severity: 'high', Verdict: 'spike', Status: 'firing' },
  },
  groupOf(PROBLEMS[8] as Problem, false),
  groupOf(PROBLEMS[5] as Problem, true),
  groupOf(PROBLEMS[0] as Problem, false),
  diskAlert(),
]
