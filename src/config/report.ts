import type { Loaded } from './load.ts'
import { redacted } from './secrets.ts'

/** A configuration as an operator may see it: no secret is in it. */
export interface ConfigReport {
  /** Effective, nested as in the file; secrets are "set" or "". */
  readonly config: unknown
  /** Dotted path of every value, to `file`, `default` or `env NAME`. */
  readonly origins: { readonly [path: string]: string }
  readonly warnings: readonly string[]
}

export function reportOf({ config, origins, warnings }: Loaded): ConfigReport {
  return { config: redacted(config), origins: Object.fromEntries(origins), warnings }
}
