import { isUtf8 } from 'node:buffer'
import { CodedError } from '../../../src/domain/errors.ts'
import { MAX_OUTPUT_BYTES, type Ping } from '../../../src/domain/heartbeat.ts'
import type { PublicAnswer, PublicRequest } from '../../../src/http/contract.ts'
import { KeyRing } from '../../../src/http/credentials.ts'
import type { SystemSettings } from '../../wiring/settings.ts'
import { authenticate, type Door, type DoorDeps, DoorError, perSettings, textAnswer } from './door.ts'

const MAX_BODY_BYTES = 1_048_576
const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i
const SLUG = /^[a-z0-9_-]{1,64}$/
const SIGNALS = new Map<string, Ping['signal']>([
  ['start', 'start'],
  ['fail', 'failure'],
  ['log', 'log'],
])
const STATUS = /^\d{1,9}$/

type Signal = Pick<Ping, 'signal' | 'exitStatus'>
const SUCCESS: Signal = { signal: 'success' }

/** Address of a heartbeat, and what is said to it. */
type Address = { readonly signal: Signal } & (
  | { readonly uuid: string }
  | { readonly key: string; readonly slug: string }
)

/** Pings in the shape of Healthchecks: `/ping/<uuid>` and `/ping/<key>/<slug>`, with a signal behind them. */
export function pings(deps: Pick<DoorDeps, 'pings' | 'settings' | 'throttle' | 'log'>): Door {
  const rings = perSettings(deps.settings, ringsOf)

  /** Returns the name of the heartbeat; undefined: the address is wrong. */
  function heartbeatOf(address: Address): string | undefined {
    const { uuids, key } = rings()
    if ('uuid' in address) return uuids.nameOf(address.uuid.toLowerCase())
    const isKey = key.nameOf(address.key) !== undefined
    const found = deps.settings().heartbeats.find(({ slug }) => slug === address.slug)
    return isKey ? found?.name : undefined
  }

  async function answer(request: PublicRequest): Promise<PublicAnswer> {
    const address = addressOf(request.params)
    const run = runOf(request.query)
    const heartbeat = authenticate(deps, request, () => heartbeatOf(address))
    const output = outputOf(request.body)
    const ping = { ...address.signal, ...(run !== undefined && { run }), ...(output !== '' && { output }) }
    const name = await deps.pings.ping(heartbeat, ping)
    if (name === undefined) throw new CodedError('not_found')
    return textAnswer(200, 'OK', { 'Ping-Body-Limit': String(MAX_OUTPUT_BYTES) })
  }

  const route = { answer, maxBodyBytes: MAX_BODY_BYTES, gzip: true }
  const paths = ['/ping/:first', '/ping/:first/:second', '/ping/:first/:second/:third']
  return {
    name: 'pings',
    isOpen: ({ intake, heartbeats }) => intake.pings.key !== '' || heartbeats.some(({ uuid }) => uuid !== undefined),
    refuse: ({ code, status, message, headers: { 'WWW-Authenticate': _, ...headers } }) =>
      code === 'unauthorized' || code === 'not_found'
        ? textAnswer(404, 'not found', headers)
        : textAnswer(status, message, headers),
    routes: paths.flatMap((path) => [
      { ...route, method: 'GET' as const, path },
      { ...route, method: 'POST' as const, path },
    ]),
  }
}

function ringsOf({ heartbeats, intake }: SystemSettings) {
  const uuids = new Map(heartbeats.flatMap(({ name, uuid }) => (uuid === undefined ? [] : [[name, uuid] as const])))
  const key = new Map(intake.pings.key === '' ? [] : [['key', intake.pings.key]])
  return { uuids: new KeyRing(uuids), key: new KeyRing(key) }
}

/** Throws `bad_parameter` for a slug, a status or a signal that no address can have. */
function addressOf({ first = '', second, third }: PublicRequest['params']): Address {
  if (UUID.test(first) && third === undefined) {
    const signal = second === undefined ? SUCCESS : signalOf(second)
    if (signal !== undefined) return { uuid: first, signal }
  }
  if (second === undefined) throw new CodedError('not_found')
  if (!SLUG.test(second)) throw bad('a slug is 1 to 64 lower-case letters, digits, _ or -')
  const signal = third === undefined ? SUCCESS : signalOf(third)
  if (signal === undefined) throw new CodedError('not_found')
  return { key: first, slug: second, signal }
}

/** Undefined: it is no signal. Throws `bad_parameter` for a status above 255. */
function signalOf(text: string): Signal | undefined {
  const signal = SIGNALS.get(text)
  if (signal !== undefined) return { signal }
  if (!STATUS.test(text)) return undefined
  const exitStatus = Number(text)
  if (exitStatus > 255) throw bad('an exit status is a number from 0 to 255')
  return exitStatus === 0 ? SUCCESS : { signal: 'failure', exitStatus }
}

function runOf(query: string): string | undefined {
  const run = new URLSearchParams(query).get('rid')
  if (run === null) return undefined
  if (!UUID.test(run)) throw bad('rid must be a UUID')
  return run.toLowerCase()
}

/** Returns the first bytes of the body as text, cut between two characters; '' when it is no UTF-8. */
function outputOf(body: Buffer): string {
  let end = Math.min(body.length, MAX_OUTPUT_BYTES)
  // 10xxxxxx continues a character.
  while (end > 0 && end < body.length && ((body[end] ?? 0) & 0xc0) === 0x80) end--
  const kept = body.subarray(0, end)
  return isUtf8(kept) ? kept.toString() : ''
}

const bad = (message: string) => new DoorError('bad_parameter', message)
