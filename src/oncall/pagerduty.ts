import type { Page } from '../domain/delivery/dispatch.ts'
import { severityRank } from '../domain/severity.ts'
import {
  destinationKey,
  destinationOf,
  type ProviderClient,
  postJson,
  unknownTarget,
} from '../outbound/provider-client.ts'
import { isoTime } from '../text/iso-time.ts'
import type { ProviderSettings } from './options.ts'
import { acceptedReply, lateMs, payloadOf, summaryOf } from './page.ts'
import type { PageLinks, ProviderKind } from './provider.ts'

const MAX_SUMMARY = 1_024
/** The provider's severities, by severity rank. */
const SEVERITIES = ['critical', 'error', 'warning', 'info', 'info']

/** PagerDuty, Events API v2. */
export const pagerduty: ProviderKind<ProviderSettings['pagerduty']> = {
  create({ routingKey, otherRoutingKeys, apiUrl }, { post, links, now }) {
    const client: ProviderClient = { post, secrets: [routingKey, ...otherRoutingKeys.values()], now }
    const url = `${apiUrl}/v2/enqueue`
    return {
      destination: ({ target }) => `pagerduty/${destinationKey(target, otherRoutingKeys)}`,
      async send(page, signal, onConnected) {
        const key = destinationOf(page.target, routingKey, otherRoutingKeys)
        if (key === undefined) return unknownTarget(page.target ?? '')
        const event = { routing_key: key, event_action: page.signal, dedup_key: page.fingerprint }
        const json = page.signal === 'trigger' ? { ...event, ...triggerOf(page, links, now()) } : event
        return postJson(client, { url, json, signal, onConnected }, acceptedReply)
      },
    }
  },
}

function triggerOf(page: Page, links: PageLinks, now: number) {
  const { id, service, severity, sender, group } = page
  const [ack, incident] = [links.ack(page), links.incident(page)]
  return {
    payload: {
      summary: summaryOf(page, { now, max: MAX_SUMMARY }),
      source: service || sender,
      severity: severityOf(severity),
      ...(group && { group: Object.values(group).join(', ') }),
      timestamp: isoTime(page.createdAt),
      custom_details: { incident_id: id, severity, late_ms: lateMs(page, now), content: payloadOf(page) },
    },
    links: [
      ...(ack === undefined ? [] : [{ href: ack, text: 'Acknowledge' }]),
      ...(incident === undefined ? [] : [{ href: incident, text: 'Incident' }]),
    ],
    client: 'Tocsin',
  }
}

/** An incident without a severity that pages is at least an error. */
function severityOf(severity: string): string {
  return severity === '' ? 'error' : (SEVERITIES[severityRank(severity)] ?? 'error')
}
