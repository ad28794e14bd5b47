import { z } from 'zod'
import { flag, fraction, httpUrl, named, oneOf, secret, text } from '../fields.ts'

const WEEK_MINUTES = 7 * 24 * 60

/** `oncall`: when to page, and by which provider. */
export const oncall = z
  .object({
    enable: flag(false),
    wait_minutes: fraction(3, [0, WEEK_MINUTES]),
    provider: oneOf(['webhook', 'pagerduty', 'incident_io']),
    public_host: httpUrl(),
    webhook: z.object({ url: httpUrl().meta({ secret: true }), secret: secret() }),
    pagerduty: z.object({
      routing_key: secret(),
      other_routing_keys: named(secret()),
      api_url: httpUrl('https://events.pagerduty.com'),
    }),
    incident_io: z.object({
      api_key: secret(),
      alert_source_config_id: text(),
      other_alert_source_config_ids: named(text()),
      api_url: httpUrl('https://api.incident.io'),
    }),
  })
  .transform((raw) => ({
    enable: raw.enable,
    /** 0 pages at once. */
    waitMs: Math.round(raw.wait_minutes * 60_000),
    provider: raw.provider,
    publicHost: raw.public_host,
    webhook: raw.webhook,
    pagerduty: {
      routingKey: raw.pagerduty.routing_key,
      otherRoutingKeys: raw.pagerduty.other_routing_keys,
      apiUrl: raw.pagerduty.api_url,
    },
    incidentIo: {
      apiKey: raw.incident_io.api_key,
      alertSourceConfigId: raw.incident_io.alert_source_config_id,
      otherAlertSourceConfigIds: raw.incident_io.other_alert_source_config_ids,
      apiUrl: raw.incident_io.api_url,
    },
  }))
