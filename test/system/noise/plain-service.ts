import type { TestContext } from 'node:test'
import { SAMPLES } from '../../../src/render/samples/samples.ts'
import { type Provider, type ProviderKind, type Received, startProvider } from '../../../src/simulator/index.ts'
import { configFile, folder } from '../../harness/config-file.ts'
import { admin, operate } from '../../harness/net/requests.ts'
import { startTestSystem } from '../../harness/system.ts'
import { until } from '../../harness/until.ts'

const CHANNELS = ['chatws', 'msgapp', 'messenger', 'officechat', 'workchat', 'email'] as const
const KINDS = [...CHANNELS, 'webhook'] as const satisfies readonly ProviderKind[]
type Kind = (typeof KINDS)[number]
type Providers = { readonly [kind in Kind]: Provider }

/** No message waits for its turn, and no destination has so many that a storm begins. */
const PACE = { rate: { per_second: 15, burst: 100 } }

/** Requests by provider that a step causes. */
type Caused = { readonly [kind in Kind]?: number }
const MESSAGES: Caused = Object.fromEntries(CHANNELS.map((kind) => [kind, 1]))
const PAGED: Caused = { ...MESSAGES, webhook: 1 }

/**
 * Runs a service with all channels and on-call, and without any option about noise: no routes, silences, fallbacks and
 * the like. Returns the requests that its providers receive, one a line. Ids, times, signatures and ports, which differ
 * between any two runs, are replaced.
 */
export async function requestsOfPlainService(t: TestContext): Promise<string> {
  const providers = await standIns(t)
  const recording = openRecording(providers)
  const { alert, ...others } = settings(providers)
  const first = await startTestSystem(t, configFile(folder(), { alert, ...others }))
  await allChannels(clientOf(first.url, recording), providers)
  await first.stop()
  // A notice about one of two channels can only go to the other one.
  const { chatws, officechat } = alert
  const second = await startTestSystem(t, configFile(folder(), { alert: { chatws, officechat } }))
  await deadLetter(clientOf(second.url, recording), providers)
  return recording.end()
}

/** Samples of what did not exist when it was recorded. */
const LATER = /^(PagerDuty event|Opsgenie alert|Grouped alerts: not reported any more)/
const isRecorded = ({ name }: (typeof SAMPLES)[number]) => !LATER.test(name)

const LEDGER = { ServiceName: 'ledger', Logs: 'cannot write <entry> 4711 & more', severity: 'critical' }

async function allChannels({ step, create, operate }: Client, providers: Providers): Promise<void> {
  for (const { name, payload } of SAMPLES.filter(isRecorded)) await step(name, PAGED, () => create(payload))
  await step('An incident', PAGED, () => create(LEDGER))
  await step('A repeat', PAGED, () => create(LEDGER))
  const replies = { chatws: 1, msgapp: 1, email: 1 }
  await step('An acknowledgement', { ...replies, webhook: 1 }, () => operate('ack', { by: 'Ada' }))
  await step('A person resolves it', { ...replies, webhook: 1 }, () => operate('resolve', { by: 'Ada' }))
  await step('Other targets, and no page', MESSAGES, () =>
    create(LEDGER, '?chatws_other_channel_id=night&msgapp_other_channel_id=night&oncall_enable=false'),
  )
  await step('Every provider fails once', twice(PAGED), () => {
    for (const kind of KINDS) providers[kind].next({ status: kind === 'email' ? 451 : 500, body: 'oops' })
    return create({ ...LEDGER, Logs: 'tried again' })
  })
  await step('It is sent again on request', MESSAGES, () => operate('resend', {}))
}

async function deadLetter({ step, create, send }: Client, { chatws }: Providers): Promise<void> {
  await step('A dead delivery is reported through another channel', { chatws: 1, officechat: 2 }, () => {
    chatws.next({ body: { ok: false, error: 'is_archived' } })
    return create(LEDGER)
  })
  await step('The dead delivery is replayed', { chatws: 1 }, () =>
    send('admin/deliveries/replay', { state: 'dead', channel: 'chatws' }),
  )
}

type Client = ReturnType<typeof clientOf>

/** A client of the service that records step by step. */
function clientOf(url: string, { ids, take }: Recording) {
  async function send(path: string, body: unknown): Promise<Response> {
    const answer = await operate(`${url}/api/${path}`, body)
    if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`)
    return answer
  }
  return {
    send,
    /** Acts on the last incident. */
    operate: (action: string, body: object) => send(`admin/incidents/${ids.at(-1)}/${action}`, body),
    async create(payload: unknown, query = ''): Promise<void> {
      const answer = await send(`incidents${query}`, payload)
      ids.push(answer.headers.get('x-incident-id') ?? '')
    },
    /** Acts, and waits until all that is caused has arrived and is settled. */
    async step(name: string, caused: Caused, act: () => Promise<unknown>): Promise<void> {
      await act()
      await take(name, caused)
      await until(() => stateOf(url, ids.at(-1)), isSettled)
    },
  }
}

type Recording = ReturnType<typeof openRecording>

function openRecording(providers: Providers) {
  /** Ids of the incidents, in order. */
  const ids: string[] = []
  const lines: string[] = []
  const taken = new Map<Kind, number>()
  function add(kind: Kind, end: number): void {
    const requests = providers[kind].requests.slice(taken.get(kind), end)
    taken.set(kind, end)
    // Those of one step have no order: several are sent at a time.
    lines.push(...requests.map((request) => lineOf(kind, request, ids)).sort())
  }
  return {
    ids,
    /** Adds a step with the requests that it causes, when all of them have arrived. */
    async take(name: string, caused: Caused): Promise<void> {
      lines.push('', `# ${name}`)
      for (const kind of KINDS) {
        const end = (taken.get(kind) ?? 0) + (caused[kind] ?? 0)
        await until(() => providers[kind].requests.length >= end)
        add(kind, end)
      }
    },
    /** Returns all lines, with those of requests that no step expected. */
    end(): string {
      for (const kind of KINDS) add(kind, providers[kind].requests.length)
      return `${lines.join('\n').trim()}\n`
    },
  }
}

const twice = (caused: Caused): Caused =>
  Object.fromEntries(Object.entries(caused).map(([kind, count]) => [kind, 2 * count]))

interface State {
  readonly notify_status: string
  readonly oncall: { readonly state: string } | null
}
const stateOf = (url: string, id = '') => admin<State>(url, `/api/admin/incidents/${id}`)
const isSettled = ({ notify_status, oncall }: State) =>
  notify_status !== 'pending' && oncall?.state !== 'armed' && oncall?.state !== 'paging'

async function standIns(t: TestContext): Promise<Providers> {
  const started = await Promise.all(KINDS.map(async (kind) => [kind, await startProvider(kind)] as const))
  t.after(() => Promise.all(started.map(([, provider]) => provider.close())))
  return Object.fromEntries(started) as unknown as Providers
}

function settings({ chatws, msgapp, messenger, officechat, workchat, email, webhook }: Providers) {
  const other_channel_ids = { night: 'C2' }
  return {
    public_host: 'https://tocsin.example.test',
    alert: {
      chatws: { enable: true, token: 'xoxb-test', channel_id: 'C1', api_url: chatws.url, other_channel_ids, ...PACE },
      msgapp: { enable: true, token: '77:test', channel_id: '-100', api_url: msgapp.url, other_channel_ids, ...PACE },
      messenger: { enable: true, token: 'viber', channel_id: 'cGVyc29u', api_url: messenger.url, ...PACE },
      officechat: { enable: true, flow_url: `${officechat.url}/flow?sig=test`, ...PACE },
      workchat: { enable: true, token: 'lark', secret: 'lark-secret', api_url: workchat.url, ...PACE },
      email: {
        enable: true,
        smtp_host: '127.0.0.1',
        smtp_port: email.port,
        tls: 'none',
        from: 'bell@example.test',
        to: 'oncall@example.test',
        ...PACE,
      },
    },
    oncall: {
      enable: true,
      wait_minutes: 0,
      provider: 'webhook',
      webhook: { url: `${webhook.url}/page`, secret: 'page-secret' },
    },
  }
}

/** Headers of the connection, and those of a mail that are other ones in each run. */
const NOT_OF_THE_MESSAGE = new Set(
  'host connection content-length transfer-encoding accept-encoding date content-type'.split(' '),
)

function lineOf(kind: Kind, request: Received, ids: readonly string[]): string {
  const { method, url, json, body, recipients } = request
  const headers = Object.entries(request.headers).filter(([name]) => !NOT_OF_THE_MESSAGE.has(name))
  const type = kind === 'email' ? [] : [['content-type', request.headers['content-type']]]
  // A body is kept as text where parsing would lose its order or spelling.
  const content = kind === 'email' ? request.text : JSON.stringify(json) === body ? json : body
  const line = JSON.stringify([kind, method, url, Object.fromEntries([...type, ...headers]), recipients, content])
  const named = ids.reduce((text, id, nth) => text.replaceAll(id, `ID-${nth + 1}`), line)
  return CHANGING.reduce((text, [pattern, by]) => text.replaceAll(pattern, by), named)
}

/** Parts of a request that are other ones in each run. */
const CHANGING: readonly (readonly [RegExp, string])[] = [
  [/exp=\d+&(amp;)?(problem=\d+&(amp;)?)?sig=\w+/g, 'exp=EXPIRY&$1sig=SIGNATURE'],
  [/t=\d+,v1=\w+/g, 't=SECONDS,v1=SIGNATURE'],
  [/"timestamp":"\d+"/g, '"timestamp":"SECONDS"'],
  [/"sign":"[^"]+"/g, '"sign":"SIGNATURE"'],
  [/"(due_at|created_at)":"[^"]+"/g, '"$1":"TIME"'],
  [/(<follow-up-\d+-\w+)-\d+@/g, '$1-TIME@'],
  [/"late_ms":\d+/g, '"late_ms":"MS"'],
]
