import type { Page } from '../domain/delivery/dispatch.ts'
import { type ProviderClient, postJson } from '../outbound/provider-client.ts'
import { outcomeOfStatus } from '../outbound/response-outcome.ts'
import { isoTime } from '../text/iso-time.ts'
import { secretsOfUrl } from '../text/scrub.ts'
import type { ProviderSettings } from './options.ts'
import { lateMs, payloadOf } from './page.ts'
import type { PageLinks, ProviderKind } from './provider.ts'
import { signatureOf } from './signature.ts'

/** Any HTTP receiver. The body is `{event, incident, ...}`, signed with HMAC-SHA256 over `<seconds>.<body>`. */
export const webhook: ProviderKind<ProviderSettings['webhook']> = {
  create({ url, secret }, { post, links, now }) {
    const client: ProviderClient = { post, secrets: [secret, ...secretsOfUrl(url)], now }
    return {
      destination: () => 'webhook',
      async send(page, signal, onConnected) {
        const json = JSON.stringify(bodyOf(page, links, now()))
        const headers = secret === '' ? {} : { 'x-tocsin-signature': signatureOf(json, { secret, now: now() }) }
        return postJson(client, { url, headers, json, signal, onConnected }, outcomeOfStatus)
      },
    }
  },
}

function bodyOf(page: Page, links: PageLinks, now: number) {
  const { id, title, service, severity, status, source, sender, fingerprint, group } = page
  return {
    event: page.signal,
    dedup_key: fingerprint,
    due_at: isoTime(page.dueAt),
    late_ms: lateMs(page, now),
    acknowledged_by: page.by,
    ack_url: page.signal === 'trigger' ? links.ack(page) : undefined,
    url: links.incident(page),
    group,
    incident: {
      id,
      title,
      service,
      severity,
      status,
      source,
      sender,
      fingerprint,
      created_at: isoTime(page.createdAt),
      content: payloadOf(page),
    },
  }
}
