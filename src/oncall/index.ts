import type { ProviderSettings } from './options.ts'
import type { Provider, ProviderDeps, ProviderKind } from './provider.ts'

/** Returns whether the options of the chosen provider hold all that it needs. */
export function isConfigured(settings: ProviderSettings): boolean {
  const { webhook, pagerduty, incidentIo, awsIncidentManager: aws, servicenow } = settings
  switch (settings.provider) {
    case 'webhook':
      return webhook.url !== ''
    case 'pagerduty':
      return pagerduty.routingKey !== ''
    case 'incident_io':
      return incidentIo.apiKey !== '' && incidentIo.alertSourceConfigId !== ''
    case 'aws_incident_manager':
      return aws.responsePlanArn !== '' && aws.region !== ''
    case 'servicenow':
      return servicenow.instanceUrl !== '' && (servicenow.token !== '' || servicenow.password !== '')
    default:
      return settings.provider satisfies never
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
    case 'aws_incident_manager':
      return bound((await import('./aws-incident-manager.ts')).awsIncidentManager, settings.awsIncidentManager)
    case 'servicenow':
      return bound((await import('./servicenow.ts')).servicenow, settings.servicenow)
    default:
      return settings.provider satisfies never
  }
}

const bound =
  <Options>(kind: ProviderKind<Options>, options: Options): OpenProvider =>
  (deps) =>
    kind.create(options, deps)
