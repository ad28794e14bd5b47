import { type Secret, secretOf } from './auth.ts'
import type { FrontLog, FrontOptions, FrontSettings } from './contract.ts'
import { openOverrides, type ReadOverrides } from './parameters.ts'
import { InflightLimits } from './pending-response.ts'
import { ERROR_REPLIES, type Reply, replyOf } from './reply.ts'

/** The front's settings, prepared for use by every request. */
export interface Settings {
  readonly maxBodyBytes: number
  readonly intakeToken: Secret | undefined
  readonly gateway: Secret | undefined
  readonly overridesOf: ReadOverrides
  readonly onPayload: ((text: string) => void) | undefined
}

function prepare(settings: FrontSettings): Settings {
  return {
    maxBodyBytes: settings.maxBodyBytes,
    intakeToken: secretOf(settings.intakeToken),
    gateway: secretOf(settings.gatewaySecret),
    overridesOf: openOverrides(settings.parameters),
    onPayload: settings.onPayload,
  }
}

const MAX_HELD_BYTES = 64 * 1024 * 1024
const MIN_HELD_BODIES = 4
const maxHeldBytes = ({ maxBodyBytes }: FrontSettings) => Math.max(MAX_HELD_BYTES, MIN_HELD_BODIES * maxBodyBytes)

/** State that the handlers of one front share. Only the front changes it. */
export class FrontContext {
  settings: Settings
  /** The front is shutting down and refuses intake. */
  refusing = false
  readonly inflight: InflightLimits
  readonly now: () => number
  readonly log: FrontLog
  readonly refused: NonNullable<FrontOptions['refused']>
  readonly warned: NonNullable<FrontOptions['warned']>

  constructor(options: FrontSettings & Pick<FrontOptions, 'log' | 'now' | 'refused' | 'warned'>) {
    this.settings = prepare(options)
    this.inflight = new InflightLimits(maxHeldBytes(options))
    this.now = options.now ?? Date.now
    this.log = options.log
    this.refused = options.refused ?? (() => {})
    this.warned = options.warned ?? (() => {})
  }

  /** Takes effect with the next request. Bodies that are held already stay, even above a smaller bound. */
  reload(settings: FrontSettings): void {
    this.settings = prepare(settings)
    this.inflight.held.max = maxHeldBytes(settings)
    this.inflight.heldOfStrangers.max = maxHeldBytes(settings)
  }

  /** Returns the answer to an error. One without a code is a bug: logs it and returns `internal`. */
  failure(error: unknown): Reply {
    const reply = replyOf(error)
    if (reply !== undefined) return reply
    this.log.error({ err: error }, 'a request failed because of a bug; it was answered 500')
    return ERROR_REPLIES.internal
  }
}
