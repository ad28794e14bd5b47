import { AGENT } from './agent.ts'
import { COMPONENTS } from './components.ts'
import { INCIDENTS } from './incidents.ts'
import { INTAKE } from './intake.ts'
import { jsonSchemas } from './json-schemas.ts'
import { NOISE } from './noise.ts'
import { ONCALL } from './oncall.ts'
import { type Operation, schemasOf, type Tag } from './operation.ts'
import { type OperationObject, operationObject } from './operation-object.ts'
import { PAGES } from './pages.ts'
import { SYSTEM } from './system.ts'

/** All routes. A test compares the document with the routes that are served. */
const OPERATIONS: readonly Operation[] = [...INTAKE, ...PAGES, ...INCIDENTS, ...NOISE, ...ONCALL, ...SYSTEM, ...AGENT]

const TAGS: { readonly [tag in Tag]: string } = {
  intake: 'Called by senders of incidents',
  health: 'Called by probes and Prometheus',
  acknowledge: 'Links and buttons in messages',
  incidents: 'Incidents, their deliveries and attempts',
  noise: 'Storms, digests, routes: who is notified of what, and why',
  'on-call': 'Schedules of `oncall.schedules`: who is on call, and overrides',
  channels: 'State of the channels, pause, test messages',
  system: 'Statistics, configuration, templates, topic, live tail',
  agent: 'Patterns, services and findings of the log agent',
  dashboard: 'Files of the dashboard',
}

const INFO = {
  title: 'Tocsin',
  description:
    'Incident gateway: accepts incidents, notifies every channel, pages the on-call person. Not described here are paths in the shape of other contracts: the Alertmanager API v2 (`/api/v2/`), the PagerDuty Events API v2 (`/v2/enqueue`), the Opsgenie Alert and Heartbeat APIs (`/v2/alerts`, `/v2/heartbeats/`), pings of Healthchecks (`/ping/`) and OTLP logs over HTTP (`/v1/logs`).',
}

const SECURITY_SCHEMES = {
  gatewaySecret: {
    type: 'apiKey',
    in: 'header',
    name: 'X-Gateway-Secret',
    description: '`gateway_secret`. Without one in the configuration these routes answer 404.',
  },
  intakeToken: { type: 'http', scheme: 'bearer', description: '`http.intake_token`, if the configuration has one' },
}

export type OpenApiDocument = ReturnType<typeof openapi>

/** Builds the OpenAPI 3.1 document of the whole API. */
export function openapi(version: string) {
  const schemas = jsonSchemas(COMPONENTS, OPERATIONS.flatMap(schemasOf))
  const paths: { [path: string]: { [method: string]: OperationObject } } = {}
  for (const operation of OPERATIONS) {
    const path = operation.path.replace(/:(\w+)/g, '{$1}')
    paths[path] = { ...paths[path], [operation.method]: operationObject(operation, schemas.of) }
  }
  return {
    openapi: '3.1.0',
    info: { ...INFO, version },
    servers: [{ url: '/' }],
    tags: Object.entries(TAGS).map(([name, description]) => ({ name: name as Tag, description })),
    paths,
    components: { schemas: schemas.components, securitySchemes: SECURITY_SCHEMES },
  }
}
