import type { PublicRoute } from '../contract.ts'
import { OPERATIONS, SCHEMAS } from './index.ts'
import { operationObject } from './operation.ts'

const TAGS = [
  ['intake', 'What senders call'],
  ['health', 'What probes and Prometheus call'],
  ['acknowledge', 'Where the links of messages lead'],
  ['incidents', 'What was accepted and what became of it'],
  ['channels', 'Where it goes'],
  ['system', 'How the service is'],
  ['agent', 'What the log agent has seen'],
  ['dashboard', 'What a browser loads'],
] as const

/** The whole API in OpenAPI 3.1. */
export function openapi(version: string): object {
  const paths: { [path: string]: { [method: string]: object } } = {}
  for (const operation of OPERATIONS) {
    const path = operation.path.replace(/:(\w+)/g, '{$1}')
    paths[path] = { ...paths[path], [operation.method]: operationObject(operation) }
  }
  return {
    openapi: '3.1.0',
    info: { title: 'Tocsin', version, description: 'Takes incidents, tells every channel, pages the on-call person.' },
    servers: [{ url: '/' }],
    tags: TAGS.map(([name, description]) => ({ name, description })),
    paths,
    components: {
      schemas: SCHEMAS,
      securitySchemes: {
        gatewaySecret: {
          type: 'apiKey',
          in: 'header',
          name: 'X-Gateway-Secret',
          description: '`gateway_secret`; when none is configured, these routes do not exist',
        },
        intakeToken: { type: 'http', scheme: 'bearer', description: '`http.intake_token`, when there is one' },
      },
    },
  }
}

export function openapiRoute(version: string): PublicRoute {
  const body = JSON.stringify(openapi(version))
  const headers = { 'Content-Type': 'application/json', 'Cache-Control': 'no-cache' }
  return { method: 'GET', path: '/api/openapi.json', answer: async () => ({ status: 200, body, headers }) }
}
