import { after } from 'node:test'
import type { Page } from '../../src/domain/delivery/dispatch.ts'
import { loadProvider } from '../../src/oncall/index.ts'
import type { ProviderSettings } from '../../src/oncall/options.ts'
import type { PageLinks, Provider } from '../../src/oncall/provider.ts'
import { createPost } from '../../src/outbound/post.ts'
import type { Provider as StandIn } from '../../src/simulator/index.ts'

export const post = createPost()
after(() => post.close())

/** 1 November 2026, 12:00:00 UTC. */
export const NOW = Date.UTC(2026, 10, 1, 12)

export const SECRETS = {
  webhook: 'webhook-"secret"-of-the-tests',
  pagerduty: 'pd-routing-key-of-the-tests',
  incident_io: 'iio-api-key-of-the-tests',
  aws_incident_manager: 'aws/secret+key-of-the-tests',
  servicenow: 'servicenow-"password"-of-the-tests',
}
export type Kind = keyof typeof SECRETS
export const KINDS = Object.keys(SECRETS) as Kind[]

const LINKS: PageLinks = {
  ack: ({ id }) => `https://tocsin.example.test/api/ack/${id}`,
  incident: ({ id }) => `https://tocsin.example.test/#/incidents/${id}`,
}

/** Creates a provider that sends to a stand-in. */
export async function providerAt(
  kind: Kind,
  { url }: Pick<StandIn, 'url'>,
  links: PageLinks = LINKS,
): Promise<Provider> {
  return (await loadProvider(settingsAt(kind, url)))({ post, links, now: () => NOW })
}

export const PLAN = 'arn:aws:ssm-incidents::111122223333:response-plan/'

export function settingsAt(kind: Kind, url: string): ProviderSettings {
  return {
    provider: kind,
    webhook: { url: `${url}/page?token=part-of-a-secret-address`, secret: SECRETS.webhook },
    pagerduty: {
      routingKey: SECRETS.pagerduty,
      otherRoutingKeys: new Map([['dba', 'pd-other-key-of-the-tests']]),
      apiUrl: url,
    },
    incidentIo: {
      apiKey: SECRETS.incident_io,
      alertSourceConfigId: '01MAIN',
      otherAlertSourceConfigIds: new Map([['dba', '01OTHER']]),
      apiUrl: url,
    },
    awsIncidentManager: {
      responsePlanArn: `${PLAN}main`,
      otherResponsePlanArns: new Map([['dba', `${PLAN}other`]]),
      region: 'eu-north-1',
      accessKeyId: 'AKIATEST',
      secretAccessKey: SECRETS.aws_incident_manager,
      apiUrl: url,
    },
    servicenow: {
      instanceUrl: url,
      otherInstanceUrls: new Map([['dba', `${url}/other`]]),
      username: 'tocsin',
      password: SECRETS.servicenow,
      token: '',
      table: 'incident',
      closeCode: 'Solution provided',
    },
  }
}

export function pageOf(over: Partial<Page> = {}): Page {
  return {
    kind: 'page',
    destination: 'oncall',
    code: 31,
    number: 0,
    incident: 7,
    id: '01936a1f-0000-7000-8000-000000000001',
    source: 'webhook',
    sender: 'grouped_alerts',
    title: 'Checkout is slow',
    service: 'checkout',
    severity: 'critical',
    status: 'firing',
    fingerprint: 'grouped:checkout',
    createdAt: NOW - 180_000,
    dueAt: NOW,
    dispatchedAt: NOW,
    signal: 'trigger',
    attempt: 1,
    mayDuplicate: false,
    content: Buffer.from('{"shard":7}'),
    ...over,
  }
}

/** A signal that never aborts. */
export const forever = new AbortController().signal
