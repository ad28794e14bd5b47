import type { Page } from '../domain/delivery/dispatch.ts'

import {
  destinationKey,
  destinationOf,
  type ProviderClient,
  postJson,
  unknownTarget,
} from '../outbound/provider-client.ts'
import type { ProviderSettings } from './options.ts'
import { acceptedReply, lateMs, payloadOf, summaryOf } from './page.ts'
import type { PageLinks, ProviderKind } from './provider.ts'

const MAX_TITLE = 500

/** incident.io, alert events over HTTP. An alert can be acknowledged only at incident.io itself. */
export const incidentIo: ProviderKind<ProviderSettings['incidentIo']> = {
  create({ apiKey, alertSourceConfigId, otherAlertSourceConfigIds: others, apiUrl }, { post, links, now }) {
    const client: ProviderClient = { post, secrets: [apiKey], now }
    const headers = { authorization: `Bearer ${apiKey}` }
    return {
      destination: ({ target }) => `incident_io/${destinationKey(target, others)}`,
      async send(page, signal, onConnected) {
        const source = destinationOf(page.target, alertSourceConfigId, others)
        if (source === undefined) return unknownTarget(page.target ?? '')
        if (page.signal === 'acknowledge') return { kind: 'sent', note: 'incident.io accepts no acknowledgement' }
        const url = `${apiUrl}/v2/alert_events/http/${encodeURIComponent(source)}`
        return postJson(client, { url, headers, json: eventOf(page, links, now()), signal, onConnected }, acceptedReply)
      },
    }
  },
}

function eventOf(page: Page, links: PageLinks, now: number) {
  const { id, service, severity, sender, fingerprint } = page
  return {
    title: summaryOf(page, { now, max: MAX_TITLE }),
    status: page.signal === 'resolve' ? 'resolved' : 'firing',
    deduplication_key: fingerprint,
    description: [page.title, links.ack(page)].filter((line) => line !== undefined).join('\n\n'),
    source_url: links.incident(page),
    metadata: { incident_id: id, service, severity, sender, late_ms: lateMs(page, now), content: payloadOf(page) },
  }
}
