/** Content of a ping: a run succeeded, begins or failed; a log changes nothing. */
export const PING_SIGNALS = ['success', 'start', 'failure', 'log'] as const

/** One ping of a heartbeat. */
export interface Ping {
  readonly signal: (typeof PING_SIGNALS)[number]
  /** Of a failure, 1 to 255; absent: unknown. */
  readonly exitStatus?: number | undefined
  /** Names the run, so that runs may overlap. */
  readonly run?: string | undefined
  /** Text that the program wrote. */
  readonly output?: string | undefined
  /** Epoch milliseconds. */
  readonly at: number
}

/** Most bytes of the output of a ping that are kept. */
export const MAX_OUTPUT_BYTES = 10_000

/** Why a heartbeat does not beat: no sign of life, a run that did not end in time, a failure and its exit status. */
export type Reason =
  | { readonly kind: 'silence' }
  | { readonly kind: 'overrun' }
  | { readonly kind: 'failure'; readonly exitStatus?: number | undefined }
