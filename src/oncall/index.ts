import type { IncidentIoOptions } from './incident-io.ts'
import type { PagerDutyOptions } from './pagerduty.ts'
import type { Provider, ProviderDeps, ProviderKind } from './provider.ts'
import type { WebhookOptions } from './webhook.ts'

/** The chosen kind of provider, and the options of all kinds. */
export interface ProviderSettings {
  readonly provider: 'webhook' | 'pagerduty' | 'incident_io'
  readonly webhook: WebhookOptions
  readonly pagerduty: PagerDutyOptions
  readonly incidentIo: IncidentIoOptions
}

/** Returns whether the options of the chosen provider hold all that it needs. */
export function isConfigured({ provider, webhook, pagerduty, incidentIo }: ProviderSettings): boolean {
  switch (provider) {
    case 'webhook':
      return webhook.url !== ''
    case 'pagerduty':
      return pagerduty.routingKey !== ''
    case 'incident_io':
      return incidentIo.apiKey !== '' && incidentIo.alertSourceConfigId !== ''
    default:
      return provider satisfies never
  }
}

/** Creates the provider whose code was loaded. */
export type OpenProvider = (deps: ProviderDeps) => Provider

/** Loads the code of the chosen provider, and of no other. */
export async function loadProvider(settings: ProviderSettings): Promise<OpenProvider> {
  switch (settings.provider) {
    case 'webhook':
      return bound((await import('./webhook.ts')).webhook, settings.webhook)
    case 'pagerduty':
      return bound((await import('./pagerduty.ts')).pagerduty, settings.pagerduty)
    case 'incident_io':
      return bound((await import('./incident-io.ts')).incidentIo, settings.incidentIo)
    default:
      return settings.provider satisfies never
  }
}

const bound =
  <Options>(kind: ProviderKind<Options>, options: Options): OpenProvider =>
  (deps) =>
    kind.create(options, deps)
