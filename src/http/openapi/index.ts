import { AGENT, AGENT_SCHEMAS } from './agent.ts'
import { CHANNEL_SCHEMAS, CHANNELS } from './channels.ts'
import { INCIDENT_SCHEMAS, INCIDENTS } from './incidents.ts'
import { INTAKE } from './intake.ts'
import type { Operation } from './operation.ts'
import { PAGES } from './pages.ts'
import { object, type Schema, said, text } from './schema.ts'
import { SYSTEM, SYSTEM_SCHEMAS } from './system.ts'

/** Everything that is served. A test holds it against the routes: describe a new one in the file of its kind. */
export const OPERATIONS: readonly Operation[] = [...INTAKE, ...PAGES, ...INCIDENTS, ...CHANNELS, ...SYSTEM, ...AGENT]

export const SCHEMAS: { readonly [name: string]: Schema } = {
  Error: object({ error: said('Whose fault it is and what to do', text) }),
  ...INCIDENT_SCHEMAS,
  ...CHANNEL_SCHEMAS,
  ...SYSTEM_SCHEMAS,
  ...AGENT_SCHEMAS,
}
