import { empty, getter, type Issue, type Lookup, list } from './issue.ts'
import { valueAt } from './messages.ts'

/** Things that work and are probably not meant. */
export function warningsAcross(effective: unknown): Issue[] {
  const get = getter(effective)
  return [
    ...shortSecrets(get),
    ...headerSecrets(get),
    ...ackLinks(get),
    ...mailPassword(get),
    ...topic(get),
    ...sources(get),
  ]
}

const SHORTEST_SECRET = 8

/** Nothing else keeps somebody from guessing an intake token for as long as it takes. */
function* shortSecrets(get: Lookup): Generator<Issue> {
  for (const path of [['gateway_secret'], ['http', 'intake_token']]) {
    const secret = get(path.join('.'))
    if (typeof secret === 'string' && secret !== '' && secret.length < SHORTEST_SECRET)
      yield { path, message: `is shorter than ${SHORTEST_SECRET} characters and easily guessed` }
  }
}

/** Clients and servers disagree about all else in a header; a bearer token is one word. */
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
        message: 'is not printable ASCII without spaces around it, so not every client can show it in a header',
      }
  }
}

function* ackLinks(get: Lookup): Generator<Issue> {
  if (get('oncall.enable') === true && empty(get('public_host')) && empty(get('oncall.public_host')))
    yield { path: ['public_host'], message: 'is empty, so messages carry no link to acknowledge' }
}

/** Whoever stands between here and the mail server can say that it knows no TLS. */
function* mailPassword(get: Lookup): Generator<Issue> {
  if (get('alert.email.enable') !== true || empty(get('alert.email.password')) || get('alert.email.smtp_port') === 465)
    return
  if (get('alert.email.tls') === 'opportunistic')
    yield {
      path: ['alert', 'email', 'tls'],
      message: 'is opportunistic, so the password goes out in clear where the server offers no TLS: set it to require',
    }
}

function* topic(get: Lookup): Generator<Issue> {
  if (get('topicsvc.enable') !== true) return
  if (get('topicsvc.raw_delivery') === true)
    yield { path: ['topicsvc', 'raw_delivery'], message: 'lets in messages without a signature: anybody may send them' }
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
    yield { path, message: 'has an entry of type http that nobody can push to while gateway_secret is empty' }
}
