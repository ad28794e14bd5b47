import type { Loaded } from './load.ts'
import { redacted } from './secrets.ts'

/** The configuration as operators see it, without secrets. */
export interface ConfigReport {
  /** All keys with their values, nested as in the file; a secret is "set" or "". */
  readonly config: unknown
  /** `file`, `default` or `env NAME`, by the dotted path of the value. */
  readonly origins: { readonly [path: string]: string }
  readonly warnings: readonly string[]
}

export function reportOf({ config, origins, warnings }: Loaded): ConfigReport {
  return { config: redacted(config), origins: Object.fromEntries(origins), warnings }
}
