import { CHANNEL_NAMES } from '../../domain/delivery/delivery.ts'
import { hasGroup } from '../../settings/fields.ts'
import { empty, getter, type Issue, type Lookup, list, valueAt } from '../config-error.ts'
import { missingOfPager, publicAnswers } from './cross-checks.ts'
import { alwaysEscalates } from './escalation-checks.ts'
import { fallbackWarnings } from './fallback-checks.ts'
import { namesOf } from './known-names.ts'

/** Returns warnings about settings that work and are probably not meant. */
export function warningsAcross(effective: unknown): Issue[] {
  const get = getter(effective)
  return [
    ...shortSecrets(get),
    ...headerSecrets(get),
    ...ackLinks(get),
    ...pagingRules(get),
    ...mailPassword(get),
    ...networks(get),
    ...pager(get),
    ...answers(get),
    ...topic(get),
    ...sources(get),
    ...servicePatterns(get),
    ...storage(get),
    ...fallbackWarnings(get),
    ...noise(get),
    ...models(get),
  ]
}

const OWN_NETWORK =
  /^http:\/\/(?:localhost|\[?::1\]?|127\.|10\.|192\.168\.|172\.(?:1[6-9]|2\d|3[01])\.|[^./:]+(?::|\/|$)|[^/:]+\.(?:local|internal|svc|lan)(?:[:/.]|$))/i

function* models(get: Lookup): Generator<Issue> {
  const provider = String(get('agent.ai.provider'))
  const url = String(get(`models.${provider}.url`) ?? '')
  if (get('agent.ai.enable') === true && /^http:/i.test(url) && !OWN_NETWORK.test(url))
    yield { path: ['models', provider, 'url'], message: 'is not https, so the key and redacted logs travel in clear' }
}

function* noise(get: Lookup): Generator<Issue> {
  if (get('noise.repeats.mode') === 'each' && get('noise.repeats.remind') !== '4h')
    yield { path: ['noise', 'repeats', 'remind'], message: 'has no effect while noise.repeats.mode is each' }
  if (get('noise.brief.mode') === 'thread' && get('brief.enable') !== true)
    yield { path: ['noise', 'brief', 'mode'], message: 'has no effect while brief.enable is false' }
}

const SHORTEST_SECRET = 8

/** Warns about short secrets: guesses of an intake token are not throttled. */
function* shortSecrets(get: Lookup): Generator<Issue> {
  for (const path of [['gateway_secret'], ['http', 'intake_token']]) {
    const secret = get(path.join('.'))
    if (typeof secret === 'string' && secret !== '' && secret.length < SHORTEST_SECRET)
      yield { path, message: `is shorter than ${SHORTEST_SECRET} characters, so it is easily guessed: make it longer` }
  }
}

/** Characters that every client and server handles alike in a header; a bearer token can hold no space. */
const CARRIED = [
  { path: ['gateway_secret'], plain: /^(?! )[\x20-\x7e]*(?<! )$/ },
  { path: ['http', 'intake_token'], plain: /^[\x21-\x7e]*$/ },
]

function* headerSecrets(get: Lookup): Generator<Issue> {
  for (const { path, plain } of CARRIED) {
    const secret = get(path.join('.'))
    if (typeof secret === 'string' && !plain.test(secret))
      yield {
        path,
        message:
          'is not printable ASCII without spaces around it, so not every client can send it in a header: change it',
      }
  }
}

function* ackLinks(get: Lookup): Generator<Issue> {
  if (
    (get('oncall.enable') === true || pagingRule(get)) &&
    empty(get('public_host')) &&
    empty(get('oncall.public_host'))
  )
    yield {
      path: ['public_host'],
      message: 'is empty, so messages carry no link to acknowledge: set it to the address of this service',
    }
}

/** Warns about rules that ask for pages which the provider cannot send. With `oncall.enable` that is an error. */
function* pagingRules(get: Lookup): Generator<Issue> {
  const rule = get('oncall.enable') === true || alwaysEscalates(get) ? undefined : pagingRule(get)
  if (rule && empty(valueAt(rule, ['oncall', 'escalation'])))
    yield* missingOfPager(get, `the rule ${JSON.stringify(valueAt(rule, ['name']))} pages`)
}
const pagingRule = (get: Lookup) => list(get('routes')).find((rule) => valueAt(rule, ['oncall', 'enable']) === true)

/** Warns about opportunistic TLS: a machine between here and the mail server can suppress STARTTLS. */
function* mailPassword(get: Lookup): Generator<Issue> {
  if (get('alert.email.enable') !== true || empty(get('alert.email.password')) || get('alert.email.smtp_port') === 465)
    return
  if (get('alert.email.tls') === 'opportunistic')
    yield {
      path: ['alert', 'email', 'tls'],
      message: 'is opportunistic, so the password goes out in clear where the server offers no TLS: set it to require',
    }
}

/** Warns at every start about channels whose provider can be impersonated. */
function* networks(get: Lookup): Generator<Issue> {
  for (const name of CHANNEL_NAMES) {
    const path = ['alert', name]
    const isSet = (key: string) => !empty(get(`alert.${name}.${key}`))
    if (get(`alert.${name}.enable`) === true && get(`alert.${name}.insecure_skip_verify`) === true)
      yield {
        path: [...path, 'insecure_skip_verify'],
        message:
          'is true, so any machine on the way can read and forge what the channel sends: name the authority in NODE_EXTRA_CA_CERTS instead',
      }
    if (isSet('proxy.url') && name === 'console')
      yield { path: [...path, 'proxy'], message: 'has no effect: this channel only prints' }
    if (isSet('proxy.url')) continue
    if (isSet('proxy.username') || isSet('proxy.password'))
      yield { path: [...path, 'proxy'], message: 'has no effect without proxy.url' }
  }
}

function* pager(get: Lookup): Generator<Issue> {
  if (get('oncall.enable') !== true || get('oncall.provider') !== 'servicenow') return
  const url = get('oncall.servicenow.instance_url')
  if (typeof url === 'string' && /^http:/i.test(url))
    yield { path: ['oncall', 'servicenow', 'instance_url'], message: 'is not https, so the password travels in clear' }
}

function* answers(get: Lookup): Generator<Issue> {
  const because = publicAnswers(get)
  if (because !== undefined && /^http:/i.test(String(get('public_host') || get('oncall.public_host'))))
    yield { path: ['public_host'], message: `is not https, but ${because}: presses travel in clear` }
  if (get('answers.links') === true && get('answers.allow') === 'people')
    yield { path: ['answers', 'links'], message: 'has no effect while answers.allow is people: a link proves nobody' }
  const mode = get('alert.msgapp.answers.mode') ?? 'off'
  if (mode === 'off' || get('alert.msgapp.enable') !== true || get('answers.allow') === 'people') return
  const others = namesOf(get, 'alert.msgapp.other_channel_ids').map((name) => ['other_channel_ids', name])
  for (const key of [['channel_id'], ...others])
    if (String(get(['alert', 'msgapp', ...key].join('.'))).startsWith('@'))
      yield {
        path: ['alert', 'msgapp', ...key],
        message: 'is a public channel, in which every subscriber can press the buttons: set answers.allow to people',
      }
}

function* topic(get: Lookup): Generator<Issue> {
  if (get('topicsvc.enable') !== true) return
  if (get('topicsvc.raw_delivery') === true)
    yield {
      path: ['topicsvc', 'raw_delivery'],
      message: 'accepts messages without a signature: any client that reaches the path can forge them',
    }
  const endpoint = get('topicsvc.https_endpoint_subscription')
  if (typeof endpoint === 'string' && endpoint.startsWith('http:'))
    yield { path: ['topicsvc', 'https_endpoint_subscription'], message: 'is not https, so messages travel in clear' }
}

function* sources(get: Lookup): Generator<Issue> {
  if (get('agent.enable') !== true) return
  const path = ['agent', 'sources']
  const enabled = list(get('agent.sources')).filter((source) => valueAt(source, ['enable']) === true)
  if (enabled.length === 0) yield { path, message: 'has no enabled entry, so the agent reads nothing' }
  if (empty(get('gateway_secret')) && enabled.some((source) => valueAt(source, ['type']) === 'http'))
    yield {
      path,
      message: 'has a source of type http, to which no program can push while gateway_secret is empty: set it',
    }
}

function* storage(get: Lookup): Generator<Issue> {
  if (get('storage.type') !== 'postgres') return
  if (empty(get('replica.address')))
    yield {
      path: ['replica', 'address'],
      message:
        'is empty, so other replicas cannot reach this one: give it an address such as http://10.0.0.7:3000 when there are others',
    }
  if (get('agent.enable') !== true) return
  for (const [at, source] of list(get('agent.sources')).entries())
    if (valueAt(source, ['enable']) === true && valueAt(source, ['type']) === 'file')
      yield {
        path: ['agent', 'sources', at],
        message: 'is a file, and the agent runs on any one of the replicas: each needs the same file',
      }
}

function* servicePatterns(get: Lookup): Generator<Issue> {
  for (const [at, source] of list(get('agent.service_patterns')).entries())
    if (typeof source === 'string' && !hasGroup(source))
      yield {
        path: ['agent', 'service_patterns', at],
        message: 'has no effect: it needs a group, which is the name of the service',
      }
}
