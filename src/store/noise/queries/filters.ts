import type { ChannelName } from '../../../domain/delivery/delivery.ts'

interface Page {
  readonly limit: number
  /** `next_cursor` of the previous page. */
  readonly cursor?: string
}

export interface DigestFilter extends Page {
  /** Only digests of storms that last, or only those that are over. */
  readonly open?: boolean
  readonly destination?: { readonly channel: ChannelName; readonly target: string | null }
}

export interface SilenceFilter extends Page {
  readonly state?: 'active' | 'scheduled' | 'ended'
  /** Only what causes of this silence made and has not ended; absent: leaves out all that causes made. */
  readonly parent?: number
}

export interface PlaceFilter extends Page {
  readonly number: number
}
