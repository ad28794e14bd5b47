import type { AdminRoute } from '../../../src/http/contract.ts'

/** A configuration as an operator may see it. */
export interface ConfigShown {
  /** Effective, in the words of the file; secrets are "set" or "". */
  readonly config: unknown
  /** Dotted path of every value, to where it comes from. */
  readonly origins: { readonly [path: string]: string }
  readonly warnings: readonly string[]
}

/** What the service runs with. `notes`: what the running system says of it beside the loader's warnings. */
export function configRoute(shown: () => ConfigShown, notes: () => readonly string[]): AdminRoute {
  return {
    method: 'GET',
    path: '/api/admin/config',
    async answer() {
      const { config, origins, warnings } = shown()
      return { status: 200, json: { config, origins, warnings: [...warnings, ...notes()] } }
    },
  }
}
