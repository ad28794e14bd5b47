import { routingConfig } from '../../../src/alertmanager/routing-config.ts'
import { wantedOf } from '../../../src/alertmanager/views.ts'
import type { PublicAnswer, PublicRequest } from '../../../src/http/contract.ts'
import { ALERTMANAGER_VERSION, VERSION } from '../../../src/telemetry/version.ts'
import { openAlertRules } from './alert-rules.ts'
import { openAlertLists } from './alertmanager-lists.ts'
import { openSilenceRequests } from './alertmanager-silences.ts'
import type { Alerts } from './alerts.ts'
import { type DoorDeps, jsonAnswer, perSettings } from './door.ts'

export type AlertmanagerReads = ReturnType<typeof openAlertmanagerReads>

/** All requests of the Alertmanager API but that of senders. Loaded at the first one: it brings regular expressions. */
export function openAlertmanagerReads(deps: DoorDeps, alerts: Alerts) {
  const { settings, clock, replicas } = deps
  const startedAt = new Date(clock.now() - process.uptime() * 1_000).toISOString()
  const rules = perSettings(settings, openAlertRules)
  const lists = openAlertLists({ ...deps, rules, alerts })
  const silences = openSilenceRequests(deps)

  async function status(): Promise<PublicAnswer> {
    const { policy } = await rules()
    const { name, address } = settings().replica
    const others = replicas()
    const all = others.length === 0 ? [{ name, address }] : others
    const peers = all.map((replica) => ({ name: replica.name, address: authorityOf(replica.address) }))
    return jsonAnswer(200, {
      cluster: {
        name,
        status: await alerts.whenLoaded().then(
          () => 'ready',
          () => 'settling',
        ),
        peers: peers.sort(byName),
      },
      config: { original: routingConfig(policy) },
      uptime: startedAt,
      versionInfo: {
        version: ALERTMANAGER_VERSION,
        revision: `tocsin ${VERSION}`,
        branch: 'tocsin',
        buildUser: '',
        buildDate: '',
        goVersion: `node ${process.versions.node}`,
      },
    })
  }

  return {
    ...{ ...lists, ...silences, status },
    receivers: async ({ query }: PublicRequest) =>
      jsonAnswer(200, wantedOf(new URLSearchParams(query), (await rules()).receivers)),
  }
}

const byName = (a: { readonly name: string }, b: { readonly name: string }) => (a.name < b.name ? -1 : 1)

/** Returns host and port of an address. */
const authorityOf = (address: string) => /^[a-z]+:\/\/([^/]*)/i.exec(address)?.[1] ?? address
