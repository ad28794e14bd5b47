import type { EffectiveConfig } from '../api/config.ts'
import type { Loaded } from './load.ts'
import { redacted } from './secrets.ts'

/** Returns the configuration as operators see it, without secrets. */
export function reportOf({ config, origins, warnings }: Loaded): EffectiveConfig {
  return { config: redacted(config), origins: Object.fromEntries(origins), warnings }
}
