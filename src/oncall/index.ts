import { type IncidentIoOptions, incidentIo } from './incident-io.ts'
import { type PagerDutyOptions, pagerduty } from './pagerduty.ts'
import type { Provider, ProviderDeps, ProviderKind } from './provider.ts'
import { type WebhookOptions, webhook } from './webhook.ts'

/** The chosen kind of provider, and the options of all kinds. */
export interface ProviderSettings {
  readonly provider: 'webhook' | 'pagerduty' | 'incident_io'
  readonly webhook: WebhookOptions
  readonly pagerduty: PagerDutyOptions
  readonly incidentIo: IncidentIoOptions
}

/** Returns the chosen provider. `ready`: its options hold all that it needs. */
export function providerOf(settings: ProviderSettings): { ready: boolean; create(deps: ProviderDeps): Provider } {
  switch (settings.provider) {
    case 'webhook':
      return bound(webhook, settings.webhook)
    case 'pagerduty':
      return bound(pagerduty, settings.pagerduty)
    case 'incident_io':
      return bound(incidentIo, settings.incidentIo)
    default:
      return settings.provider satisfies never
  }
}

const bound = <Options>(kind: ProviderKind<Options>, options: Options) => ({
  ready: kind.ready(options),
  create: (deps: ProviderDeps) => kind.create(options, deps),
})
