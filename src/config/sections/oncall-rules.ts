import type { ChannelName } from '../../domain/delivery/delivery.ts'
import type { GatewaySettings } from '../../oncall/options.ts'
import type { Escalation, OncallPerson, OncallRules, PersonalAddresses, Way } from '../../policy/oncall/escalation.ts'
import type { OncallSchedules } from '../../policy/oncall/settings.ts'
import type { AddressedWay, PeopleOfFile } from './people.ts'

interface OncallAsCode {
  /** Absent, as all of it, without escalations. */
  readonly oncallRules?: OncallRules
  readonly personal?: PersonalAddresses
}

interface Given {
  /** The value of `oncall.enable`. */
  readonly enable: boolean
  readonly people: PeopleOfFile
  readonly schedules: OncallSchedules
  readonly escalations: ReadonlyMap<string, Escalation>
  /** Empty: none. */
  readonly escalation: string
  readonly gateways: ReadonlyMap<string, GatewaySettings>
}

/** Returns the rules of on-call, and the addresses of their ways by channels and the provider, which only senders get. */
export function rulesOf({ enable, people, schedules, escalations, escalation, gateways }: Given): OncallAsCode {
  if (escalations.size === 0) return {}
  const channels = new Map<ChannelName, Map<string, string>>()
  const provider = new Map<string, string>()

  function wayOf(way: AddressedWay, target: string): Way {
    const { afterMs, address } = way
    switch (way.kind) {
      case 'channel':
        channels.set(way.channel, (channels.get(way.channel) ?? new Map()).set(target, address))
        return { kind: 'channel', channel: way.channel, target, afterMs }
      case 'gateway':
        return { kind: 'gateway', gateway: way.gateway, to: address, afterMs }
      case 'provider':
        provider.set(target, address)
        return { kind: 'provider', target, afterMs }
      default:
        return way satisfies never
    }
  }

  const reached = Array.from(people, ([key, { name, time_zone: timeZone, ways, quiet }]): [string, OncallPerson] => [
    key,
    {
      name: name || key,
      timeZone,
      ways: ways.map((way, at) => wayOf(way, `person:${key}:${at + 1}`)),
      ...(quiet && { quiet }),
    },
  ])
  const gatewayPaces = new Map(Array.from(gateways, ([name, { paceMs }]) => [name, paceMs]))
  return {
    oncallRules: {
      ...{ enable, people: new Map(reached), schedules, escalations, gatewayPaces },
      ...(escalation !== '' && { escalation }),
    },
    personal: { channels, provider },
  }
}
