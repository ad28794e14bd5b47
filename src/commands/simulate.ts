import { stringify } from 'yaml'
import { PASSING } from '../simulator/faults.ts'
import { type Provider, type Reply, startProvider } from '../simulator/index.ts'
import { HTTP_KINDS } from '../simulator/kinds.ts'
import { visible } from '../text/visible.ts'
import { UsageError } from './command.ts'
import { defineCommand } from './define-command.ts'

/** Channels that have a stand-in of the same name. */
export const SIMULATED = ['chatws', 'msgapp', 'messenger', 'officechat', 'workchat', 'email', 'ntfy'] as const
type SimulatedChannel = (typeof SIMULATED)[number]
export type Providers = { readonly [name in SimulatedChannel]: Provider }

const PAGERS = ['webhook', 'pagerduty', 'incident_io', 'aws_incident_manager', 'servicenow'] as const
type Pagers = { readonly [name in (typeof PAGERS)[number]]: Provider }

const FIRST_PORT = 4100

export const simulate = defineCommand({
  name: 'simulate',
  summary: 'stand in for every provider on this machine',
  about: `Starts a stand-in for each provider on consecutive ports of 127.0.0.1, prints a configuration that makes the service use them,
and prints every message that they receive. Ctrl-C ends it.`,
  options: {
    port: { value: 'N', description: `the first port; default ${FIRST_PORT}` },
    faults: {
      value: 'PERCENT',
      description:
        "share of answers that are failures which pass: the provider's own errors, rate limits, cut connections; default 0",
    },
  },
  async run(values) {
    const share = parseNumber('faults', values.faults ?? '0', 100) / 100
    const port = parseNumber('port', values.port ?? String(FIRST_PORT), 65_000)
    const providers = await startProviders(port)
    const pagers = (await startAll(PAGERS, port === 0 ? 0 : port + SIMULATED.length)) as Pagers
    const config = { public_host: 'http://127.0.0.1:3000', alert: alertFor(providers), oncall: oncallFor(pagers) }
    console.log(stringify(config, { aliasDuplicateObjects: false }))
    const answer = (name: string, provider: Provider, fault: () => Reply) => {
      provider.script = (request) => {
        console.log(`${name} received:\n${indented(request.text)}`)
        return Math.random() < share ? fault() : undefined
      }
    }
    for (const name of SIMULATED) answer(name, providers[name], () => faultOf(name))
    for (const name of PAGERS) answer(name, pagers[name], () => oneOf(PAGER_FAULTS))
    return new Promise(() => {})
  },
})

/** Returns a failure of the provider that passes, or a cut connection. */
function faultOf(name: SimulatedChannel): Reply {
  const limited = name === 'email' ? [] : [HTTP_KINDS[name].limited(1)]
  return oneOf([...Object.values(PASSING[name]), ...limited, { reset: true }])
}
const PAGER_FAULTS: readonly Reply[] = [{ status: 429, body: 'slow down' }, { status: 502, body: '' }, { reset: true }]
const oneOf = (replies: readonly Reply[]) => replies[Math.floor(Math.random() * replies.length)] ?? { reset: true }

/** Starts the stand-ins of all channels on consecutive ports; with `firstPort` 0 on free ports. */
export async function startProviders(firstPort: number): Promise<Providers> {
  return (await startAll(SIMULATED, firstPort)) as Providers
}

async function startAll(names: readonly Parameters<typeof startProvider>[0][], firstPort: number): Promise<object> {
  const entries: [string, Provider][] = []
  for (const [at, name] of names.entries()) {
    entries.push([name, await startProvider(name, firstPort === 0 ? {} : { port: firstPort + at })])
  }
  return Object.fromEntries(entries)
}

/** Returns an `oncall` section that pages the webhook after half a minute; the other providers can be chosen. */
function oncallFor({ webhook, pagerduty, incident_io, aws_incident_manager, servicenow }: Pagers): object {
  return {
    enable: true,
    wait_minutes: 0.5,
    provider: 'webhook',
    webhook: { url: `${webhook.url}/page`, secret: 'simulated' },
    pagerduty: { routing_key: 'simulated', api_url: pagerduty.url },
    incident_io: { api_key: 'simulated', alert_source_config_id: '01SIMULATED', api_url: incident_io.url },
    aws_incident_manager: {
      response_plan_arn: 'arn:aws:ssm-incidents::111122223333:response-plan/simulated',
      region: 'eu-north-1',
      access_key_id: 'simulated',
      secret_access_key: 'simulated',
      api_url: aws_incident_manager.url,
    },
    servicenow: { instance_url: servicenow.url, username: 'simulated', password: 'simulated' },
  }
}

/** Returns an `alert` section that sends every channel to its stand-in, at high rates. */
export function alertFor({ chatws, msgapp, messenger, officechat, workchat, email, ntfy }: Providers) {
  const on = { enable: true, rate: { per_second: 1000, burst: 1000 } }
  return {
    chatws: { ...on, token: 'xoxb-simulated', channel_id: 'C0SIMULATED', api_url: chatws.url },
    msgapp: { ...on, token: '1:simulated', channel_id: '-1001', api_url: msgapp.url },
    messenger: { ...on, token: 'simulated', channel_id: 'simulated', api_url: messenger.url },
    officechat: { ...on, flow_url: `${officechat.url}/workflows/1/triggers/manual/paths/invoke?sig=simulated` },
    workchat: { ...on, token: 'simulated', api_url: workchat.url },
    email: {
      ...on,
      smtp_host: '127.0.0.1',
      smtp_port: email.port,
      from: 'tocsin@example.test',
      to: 'oncall@example.test',
      tls: 'none',
    },
    ntfy: { ...on, topic: 'simulated', server_url: ntfy.url },
  }
}

/** Returns text of a message for a terminal, indented. */
export const indented = (text: string) => visible(text).trimEnd().replace(/^/gm, '    ')

function parseNumber(name: string, value: string, max: number): number {
  const parsed = Number(value)
  if (Number.isInteger(parsed) && parsed >= 0 && parsed <= max) return parsed
  throw new UsageError(`--${name} must be a whole number from 0 to ${max}`)
}
