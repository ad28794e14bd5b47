import {
  CHANNEL_NAMES,
  type ChannelName,
  type DeliveryState,
  type Destination,
} from '../../domain/delivery/delivery.ts'
import type { DispatchKind } from '../../domain/delivery/dispatch.ts'
import type { NotifyStatus } from '../../domain/incident.ts'
import type { Page, Phase } from '../../domain/page.ts'
import type { Bundle, BundleKind } from '../../policy/bundles/bundle-state.ts'

/**
 * Numbers on disk; never renumber one. A set of channels is stored as the sum of `1 << code`, so codes stay below 31.
 */
export const CHANNEL_CODE = {
  chatws: 0,
  msgapp: 1,
  messenger: 2,
  officechat: 3,
  workchat: 4,
  email: 5,
  console: 6,
  ntfy: 7,
} as const satisfies Record<ChannelName, number>

/** Numbers on disk; the schema's partial indexes name them too. */
export const STATE = {
  pending: 0,
  sending: 1,
  sent: 2,
  dead: 3,
  skipped: 4,
  folded: 5,
  held: 6,
  silenced: 7,
} as const satisfies Record<DeliveryState, number>

/** Numbers on disk. The code of the on-call provider stands for it in the ledger too. */
export const DESTINATION_CODE = { ...CHANNEL_CODE, oncall: 31 } as const satisfies Record<Destination, number>

/** Destination of a notice that was never claimed: it goes through any channel that works. */
export const ANY_CHANNEL = 30

/** Numbers on disk; the schema's partial indexes name 0. */
export const KIND = { delivery: 0, notice: 1, 'follow-up': 2, page: 3, digest: 4 } as const satisfies Record<
  DispatchKind,
  number
>

/** Numbers on disk; the schema's partial index names 3. */
export const PHASE = {
  armed: 0,
  paging: 1,
  paged: 2,
  failed: 3,
  acknowledged: 4,
  resolved: 5,
  cancelled: 6,
  joined: 7,
  held: 8,
} as const satisfies Record<Phase, number>

/** Numbers on disk. */
export const PROVIDER_KNOWS = { no: 0, maybe: 1, yes: 2 } as const satisfies Record<Page['providerKnows'], number>

/** Numbers on disk; the schema's partial indexes name 0. */
export const BUNDLE_KIND = { storm: 0, repeats: 1, flapping: 2, group: 3 } as const satisfies Record<BundleKind, number>
export const BUNDLE_STATE = { open: 0, ending: 1, closed: 2, dead: 3 } as const satisfies Record<
  Bundle['state'],
  number
>

/** Numbers on disk; the schema's partial index names 0. */
export const NOTIFY = { pending: 0, sent: 1, partial: 2, failed: 3, nobody: 4, silenced: 5 } as const satisfies Record<
  NotifyStatus,
  number
>

export const stateName = nameIn(STATE, 'delivery state')
export const notifyName = nameIn(NOTIFY, 'notify status')
export const channelName = nameIn(CHANNEL_CODE, 'channel')
export const phaseName = nameIn(PHASE, 'on-call phase')
export const bundleKindName = nameIn(BUNDLE_KIND, 'kind of bundle')
export const bundleStateName = nameIn(BUNDLE_STATE, 'state of a bundle')
export const kindName = nameIn(KIND, 'kind of dispatch')
export const providerKnowsName = nameIn(PROVIDER_KNOWS, 'state of the provider')

export const maskOf = (channels: readonly ChannelName[]) =>
  channels.reduce((mask, name) => mask | (1 << CHANNEL_CODE[name]), 0)
export const channelsIn = (mask: number) => CHANNEL_NAMES.filter((name) => (mask & (1 << CHANNEL_CODE[name])) !== 0)

/** Returns the look-up of a name by its number. The codes are in the order of their numbers, from 0 on. */
function nameIn<Name extends string>(codes: Record<Name, number>, what: string): (code: number) => Name {
  const names = Object.keys(codes) as Name[]
  return (code) => {
    const name = names[code]
    if (name === undefined) throw new RangeError(`the database holds an unknown ${what}: ${code}`)
    return name
  }
}
