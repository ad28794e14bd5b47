import { AGENT } from './agent.ts'
import { CHANNELS } from './channels.ts'
import { INCIDENTS } from './incidents.ts'
import { INTAKE } from './intake.ts'
import { NOISE } from './noise.ts'
import type { Operation } from './operation.ts'
import { PAGES } from './pages.ts'
import { SILENCES } from './silences.ts'
import { SYSTEM } from './system.ts'

/** All routes. A test compares them with the routes that are served. */
export const OPERATIONS: readonly Operation[] = [
  ...INTAKE,
  ...PAGES,
  ...INCIDENTS,
  ...NOISE,
  ...SILENCES,
  ...CHANNELS,
  ...SYSTEM,
  ...AGENT,
]
