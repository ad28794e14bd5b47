import type { Verdict } from '../../src/mining/contract.ts'

/** Asked of the agent thread. */
export type AgentQuery =
  | { readonly kind: 'status' }
  /** Seen last first. */
  | { readonly kind: 'patterns'; readonly limit: number }
  | { readonly kind: 'pattern'; readonly id: string }
  | {
      readonly kind: 'label'
      readonly id: string
      readonly label: { readonly verdict?: Verdict; readonly tags?: readonly string[] }
    }
  | { readonly kind: 'forget'; readonly id: string }
  | { readonly kind: 'clear-patterns' }
  | { readonly kind: 'services' }
  | { readonly kind: 'grace'; readonly name: string; readonly action: 'end' | 'restart' }
  | { readonly kind: 'shadow' }
  | { readonly kind: 'shadow-stats' }
  | { readonly kind: 'clear-shadow' }
  | { readonly kind: 'detect' }
  | { readonly kind: 'detect-stats' }
  | { readonly kind: 'detect-event'; readonly id: string }
  | { readonly kind: 'clear-detect' }
  | { readonly kind: 'flush-detect' }
  /** Writes everything to disk. */
  | { readonly kind: 'flush' }
  /** Lines for a source of type http; answered when they wait to be read. */
  | { readonly kind: 'push'; readonly source: string; readonly contentType: string; readonly body: Uint8Array }
