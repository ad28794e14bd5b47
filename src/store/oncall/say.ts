import { randomBytes } from 'node:crypto'
import type { ChannelName } from '../../domain/delivery/delivery.ts'
import type { GatewayPage } from '../../domain/delivery/dispatch.ts'
import type { OncallRules, Way } from '../../policy/oncall/escalation.ts'
import { DESTINATION_CODE } from '../engine/column-codes.ts'
import type { StoreContext } from '../engine/context.ts'
import type { Lane } from '../engine/counts.ts'
import type { Accounts } from '../noise/silences/accounts.ts'

/** Where a message to a person, or a channel, goes. */
type To = Way | { readonly kind?: 'channel'; readonly channel: ChannelName; readonly target?: string }

/** Gateways have one lane: that of the on-call provider. */
const GATEWAYS = { code: DESTINATION_CODE.oncall, destination: 'oncall' } as const

export type Say = ReturnType<typeof openSay>

/** Opens the sending of lines to people. Inside `write`. */
export function openSay(
  { counts, lanes, channels }: StoreContext,
  rules: Pick<OncallRules, 'people'>,
  accounts: Pick<Accounts, 'raise'>,
) {
  /** Undefined: its channel is not enabled, or it is reached by the provider alone. */
  function laneOf(to: To): Lane | undefined {
    if (to.kind === 'gateway') return GATEWAYS
    if (to.kind === 'provider' || !channels.includes(to.channel)) return undefined
    return lanes.find(to.channel, to.target, counts.appliedUpTo)
  }

  /** The id cannot be guessed: what a gateway reports names it. */
  function callOf(way: To | undefined): { readonly gateway?: GatewayPage['gateway'] } {
    if (way?.kind !== 'gateway') return {}
    return { gateway: { name: way.gateway, to: way.to, id: randomBytes(16).toString('hex') } }
  }

  function byWay(way: Way, text: string): void {
    const lane = laneOf(way)
    if (lane !== undefined) accounts.raise(lane, { kind: 'line', text, ...callOf(way) })
  }

  return {
    laneOf,
    callOf,
    byWay,
    /** Tells a person by the first way that is a chat or mail. */
    person(key: string, text: string): void {
      const way = rules.people.get(key)?.ways.find(({ kind }) => kind === 'channel')
      if (way !== undefined) byWay(way, text)
    },
  }
}
