import type { ConditionSettings } from '../policy/route.ts'

/** One client of `/mcp`. */
export interface McpToken {
  /** In metrics, and in the ledger as `mcp:NAME`. */
  readonly name: string
  readonly token: string
  readonly scope: 'read' | 'act'
  /** Problems that it may act on: all have to fit their newest incident. Empty: any. */
  readonly actOn: readonly ConditionSettings[]
  /** It may do what keeps a person from being paged. */
  readonly mayStopPages: boolean
}

export interface McpSettings {
  /** Empty: there is no `/mcp`. */
  readonly tokens: readonly McpToken[]
  /** Values of `Origin` that may ask, beside loopback and `public_host`. */
  readonly origins: readonly string[]
  /** Hosts whose addresses stay readable in the words of others, beside that of `public_host`. */
  readonly linkHosts: readonly string[]
}
