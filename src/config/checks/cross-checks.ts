import { CHANNEL_NAMES, type ChannelName } from '../../domain/delivery/delivery.ts'
import { empty, getter, type Issue, type Lookup, list, type Path, valueAt } from '../config-error.ts'
import { variableOf } from '../environment/environment.ts'
import { alwaysEscalates, escalationIssues, providerNeededBy } from './escalation-checks.ts'
import { fallbackIssues } from './fallback-checks.ts'
import { known, namesOf, repeated } from './known-names.ts'
import { oncallIssues } from './oncall-checks.ts'
import { routeIssues } from './route-checks.ts'

/** Keys that an enabled channel needs; of the keys in one inner list, one is enough. */
const NEEDED: { readonly [K in ChannelName]: readonly (readonly string[])[] } = {
  chatws: [['token'], ['channel_id']],
  msgapp: [['token'], ['channel_id']],
  messenger: [['token'], ['channel_id']],
  officechat: [['flow_url']],
  workchat: [['token', 'webhook_url']],
  email: [['smtp_host'], ['to'], ['from', 'username']],
  console: [],
  ntfy: [['topic']],
}
const NEEDED_ONCALL = new Map<unknown, readonly (readonly string[])[]>([
  ['webhook', [['webhook.url']]],
  ['pagerduty', [['pagerduty.routing_key']]],
  ['incident_io', [['incident_io.api_key'], ['incident_io.alert_source_config_id']]],
  ['aws_incident_manager', [['aws_incident_manager.response_plan_arn'], ['aws_incident_manager.region']]],
  ['servicenow', [['servicenow.instance_url'], ['servicenow.password', 'servicenow.token']]],
])

/** Returns the errors that only several keys together show. */
export function issuesAcross(effective: unknown): Issue[] {
  const get = getter(effective)
  return [
    ...CHANNEL_NAMES.flatMap((name) => [...channel(name, get)]),
    ...oncall(get),
    ...answers(get),
    ...people(get),
    ...oncallIssues(get),
    ...escalationIssues(get),
    ...topicsvc(get),
    ...agent(get),
    ...mcp(get),
    ...ports(get),
    ...storage(get),
    ...routeIssues(get),
    ...fallbackIssues(get),
  ]
}
function* ports(get: Lookup): Generator<Issue> {
  if (get('metrics.port') === 0 || get('metrics.port') !== get('port')) return
  yield { path: ['metrics', 'port'], message: 'is the main port already: write 0 to serve metrics there' }
}

function* storage(get: Lookup): Generator<Issue> {
  if (get('storage.type') === 'postgres') yield* needed(get, 'storage.type is postgres', ['storage.postgres.url'])
}

function* channel(name: ChannelName, get: Lookup): Generator<Issue> {
  const section = `alert.${name}`
  if (get(`${section}.enable`) === true)
    for (const keys of NEEDED[name])
      yield* needed(
        get,
        `${name} is enabled`,
        keys.map((key) => `${section}.${key}`),
      )
  if (get(`${section}.enable`) === true && get(`${section}.accept_ids`) === true && empty(get('http.intake_token')))
    yield {
      path: ['alert', name, 'accept_ids'],
      message:
        'needs http.intake_token: without it any client could send messages to any chat; set it or HTTP_INTAKE_TOKEN',
    }
}

/** Modes in which presses come back, with the secret that each needs. All but `socket` need an address of this service. */
const WAYS_BACK = [
  ['chatws', 'socket', 'app_token'],
  ['chatws', 'http', 'signing_secret'],
  ['msgapp', 'webhook', 'secret_token'],
  ['ntfy', 'http', undefined],
] as const

const waysBack = (get: Lookup) =>
  WAYS_BACK.filter(([name, mode]) => get(`alert.${name}.enable`) === true && get(`alert.${name}.answers.mode`) === mode)

function* answers(get: Lookup): Generator<Issue> {
  for (const [name, mode, secret] of waysBack(get))
    if (secret) yield* needed(get, `alert.${name}.answers.mode is ${mode}`, [`alert.${name}.answers.${secret}`])
  const because = publicAnswers(get)
  if (because !== undefined) yield* needed(get, because, ['public_host', 'oncall.public_host'])
  if (get('answers.allow') === 'people' && namesOf(get, 'people').length === 0)
    yield { path: ['answers', 'allow'], message: 'is people, but none are listed, so no press would count: list them' }
}

/** Returns the setting by which answers come to `public_host`, in words; undefined: there is none. */
export function publicAnswers(get: Lookup): string | undefined {
  const way = waysBack(get).find(([, mode]) => mode !== 'socket')
  if (way !== undefined) return `alert.${way[0]}.answers.mode is ${way[1]}`
  return get('answers.links') === true ? 'answers.links is true' : undefined
}

/** Yields an issue for each id that two people have, because a press would be of either, and for each unknown topic. */
function* people(get: Lookup): Generator<Issue> {
  const owners = new Map<string, string>()
  for (const name of namesOf(get, 'people'))
    for (const channel of namesOf(get, `people.${name}.ids`)) {
      const path = ['people', name, 'ids', channel]
      const id = get(path.join('.'))
      const other = owners.get(`${channel} ${id}`)
      if (other !== undefined) yield { path, message: `is also the id of ${other}` }
      if (empty(id)) continue
      owners.set(`${channel} ${id}`, name)
      if (channel === 'ntfy' && get('alert.ntfy.enable') === true)
        yield* known(path, id, namesOf(get, 'alert.ntfy.other_topics'), 'another topic')
    }
}

function* oncall(get: Lookup): Generator<Issue> {
  const provider = get('oncall.provider')
  const alone = get('oncall.enable') === true && !alwaysEscalates(get)
  const because = providerNeededBy(get) ?? (alone ? `oncall is enabled with the provider ${provider}` : undefined)
  if (because === undefined) return
  yield* missingOfPager(get, because)
  const [id, key] = ['oncall.aws_incident_manager.access_key_id', 'oncall.aws_incident_manager.secret_access_key']
  if (provider === 'aws_incident_manager' && (!empty(get(id)) || !empty(get(key))))
    for (const path of [id, key]) yield* needed(get, 'the other half of the key is given', [path])
}

/** Yields an issue for each key that the on-call provider needs and lacks. */
export function* missingOfPager(get: Lookup, because: string): Generator<Issue> {
  for (const keys of NEEDED_ONCALL.get(get('oncall.provider')) ?? [])
    yield* needed(
      get,
      because,
      keys.map((key) => `oncall.${key}`),
    )
}

function* topicsvc(get: Lookup): Generator<Issue> {
  const [id, key] = ['topicsvc.access_key_id', 'topicsvc.secret_access_key']
  if (get('topicsvc.enable') !== true) return
  for (const path of ['topicsvc.topic_arn', 'topicsvc.https_endpoint_subscription'])
    yield* needed(get, 'topicsvc is enabled', [path])
  if (!empty(get(id)) || !empty(get(key)))
    for (const path of [id, key]) yield* needed(get, 'the other half of the cloud key is given', [path])
}

/** Keys that a provider cannot do without; a server of one's own may need no API key. */
const OF_PROVIDER = new Map([
  ['azure_openai', ['url', 'api_key', 'model']],
  ['openai_compatible', ['url', 'model']],
  ['ollama', ['url', 'model']],
  ['anthropic', ['api_key', 'model']],
])

function* model(get: Lookup): Generator<Issue> {
  const provider = String(get('agent.ai.provider') ?? 'openai')
  const keys = OF_PROVIDER.get(provider)
  if (get('agent.ai.backend') !== 'openai') {
    if (keys)
      yield {
        path: ['agent', 'ai', 'provider'],
        message: 'has no meaning beside a module in agent.ai.backend: delete one',
      }
    return
  }
  for (const key of keys ?? []) yield* needed(get, `agent.ai.provider is ${provider}`, [`models.${provider}.${key}`])
  if (!keys) yield* needed(get, 'agent.ai is enabled', ['agent.ai.api_key', 'models.openai.api_key'])
  if (provider === 'azure_openai' && /^http:/i.test(String(get('models.azure_openai.url'))))
    yield { path: ['models', 'azure_openai', 'url'], message: 'must begin with https://' }
}

function* mcp(get: Lookup): Generator<Issue> {
  const tokens = list(get('mcp.tokens'))
  for (const key of ['name', 'token']) yield* repeated(['mcp', 'tokens'], tokens, key)
  for (const [at, token] of tokens.entries())
    if (valueAt(token, ['scope']) === 'act' && empty(get('gateway_secret')))
      yield {
        path: ['mcp', 'tokens', at, 'scope'],
        message: 'is act and needs gateway_secret: without it no page shows what was done; set it or GATEWAY_SECRET',
      }
}

function* agent(get: Lookup): Generator<Issue> {
  if (get('agent.enable') !== true) return
  if (get('agent.ai.enable') === true) yield* model(get)
  const path = ['agent', 'sources']
  const sources = list(get('agent.sources')).map((source) => (valueAt(source, ['enable']) === false ? null : source))
  yield* repeated(path, sources)
  for (const [at, source] of sources.entries()) yield* sourceKeys(source, [...path, at])
}

/** Keys that a source of each type needs in the block that is named like it. */
const NEEDED_SOURCE = new Map<unknown, readonly string[]>([
  ['file', ['path']],
  ['otlp', ['token']],
  ['loki', ['address', 'query']],
  ['elasticsearch', ['addresses']],
])
function* sourceKeys(source: unknown, path: Path): Generator<Issue> {
  if (valueAt(source, ['enable']) !== true) return
  const type = String(valueAt(source, ['type']))
  for (const key of NEEDED_SOURCE.get(type) ?? [])
    if (empty(valueAt(source, [type, key])))
      yield { path: [...path, type, key], message: `is missing: a source of type ${type} needs it` }
}

/** Yields one issue when none of the keys has a value. */
function* needed(get: Lookup, because: string, paths: readonly string[]): Generator<Issue> {
  const [first] = paths
  if (first === undefined || paths.some((path) => !empty(get(path)))) return
  const others = paths.slice(1).map((path) => `, and so is ${path}`)
  const message = `is missing${others.join('')}, but ${because}; set it or ${variableOf(first)}`
  yield { path: first.split('.'), message }
}
