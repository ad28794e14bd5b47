import type { Payload } from '../../src/domain/incident.ts'
import { jsonOf } from '../../src/http/body/documents.ts'
import type { PublicRoute } from '../../src/http/contract.ts'
import { CREDENTIAL_HEADERS } from '../../src/http/credentials.ts'
import type { NewChange } from '../../src/store/brief/records.ts'
import { Tally } from '../../src/telemetry/counters.ts'
import { cut } from '../../src/text/cut.ts'
import { timeWithZone } from '../../src/text/iso-time.ts'
import { isObject } from '../../src/text/json-object.ts'
import { known } from './api/parameters.ts'
import { admitSender, type DoorDeps, DoorError, jsonAnswer, refusalOf } from './doors/door.ts'

const MAX_BODY_BYTES = 64 * 1_024
const PER_SECOND = 10
const LONGEST = { summary: 1_000, service: 255, kind: 64, link: 500, id: 255 } as const

type ChangesDeps = Pick<DoorDeps, 'askStorage' | 'settings' | 'clock' | 'throttle' | 'log'>
export type Changes = ReturnType<typeof openChanges>

/** Takes markers of what was changed. At most 10 a second of all senders are stored. */
export function openChanges(deps: ChangesDeps) {
  const { askStorage, settings, clock } = deps
  const outcomes = new Tally()
  let second = { at: 0, taken: 0 }

  function spend(): void {
    const at = Math.floor(clock.elapsed() / 1_000)
    second = { at, taken: second.at === at ? second.taken + 1 : 1 }
    if (second.taken <= PER_SECOND) return
    throw new DoorError('too_many_calls', `more than ${PER_SECOND} changes came within a second`, { retrySeconds: 1 })
  }

  /** Stores a change, or the change event of PagerDuty; returns its number. Throws bad_parameter, not_found, too_many_calls. */
  async function store(body: unknown): Promise<number> {
    try {
      if (!settings().brief.enable) throw new DoorError('not_found', 'brief.enable is false: no change is kept')
      spend()
      const stored = await askStorage({ kind: 'brief.addChange', change: changeOf(body, clock.now()) })
      const { id, isNew } = known(stored, 'change')
      outcomes.add(isNew ? 'stored' : 'repeated')
      return id
    } catch (error) {
      outcomes.add(refusalOf(error).status === 429 ? 'limited' : 'refused')
      throw error
    }
  }

  const refusal = (error: unknown) => {
    const { status, message, headers } = refusalOf(error)
    return jsonAnswer(status, { error: message }, headers)
  }
  const route: PublicRoute = {
    method: 'POST',
    path: '/api/changes',
    headers: [...CREDENTIAL_HEADERS],
    maxBodyBytes: MAX_BODY_BYTES,
    takesIntakeToken: true,
    unavailable: refusal,
    async answer(request) {
      try {
        admitSender(deps, request)
        return jsonAnswer(201, { id: await store(jsonOf(request.body)) })
      } catch (error) {
        return refusal(error)
      }
    },
  }
  return { store, route, outcomes }
}

/** Reads a change; times later than now are now. Throws bad_parameter. */
function changeOf(body: unknown, now: number): NewChange {
  if (!isObject(body)) throw new DoorError('body_not_object', 'the body must be a JSON object')
  const given = isObject(body.payload) ? ofEvent(body, body.payload) : body
  const text = (name: keyof typeof LONGEST) => {
    const value = given[name] ?? ''
    if (typeof value !== 'string') throw new DoorError('bad_parameter', `${name} must be text`)
    const [trimmed, max] = [value.trim(), LONGEST[name]]
    // Part of a link or id would be another one.
    if (trimmed.length > max && (name === 'link' || name === 'id'))
      throw new DoorError('bad_parameter', `${name} may have ${max} characters`)
    return cut(trimmed, max)
  }
  const summary = text('summary')
  if (summary === '') throw new DoorError('bad_parameter', 'summary is missing')
  const link = text('link')
  if (link !== '' && !(/^https?:\/\//i.test(link) && URL.canParse(link)))
    throw new DoorError('bad_parameter', 'link must be an address of http or https')
  const at = given.at === undefined ? now : typeof given.at === 'string' ? timeWithZone(given.at) : Number.NaN
  if (!(at > 0)) throw new DoorError('bad_parameter', 'at must be a time with its zone, such as 2030-01-31T12:00:00Z')
  return { summary, service: text('service'), kind: text('kind'), link, key: text('id') || null, at: Math.min(at, now) }
}

/** Returns the fields of a change event of PagerDuty. Its time may be absent, or of a shape that is not read. */
function ofEvent({ links }: Payload, { summary, timestamp, source }: Payload): Payload {
  const [first] = Array.isArray(links) ? (links as unknown[]) : []
  const link =
    isObject(first) &&
    typeof first.href === 'string' &&
    /^https?:/i.test(first.href) &&
    first.href.length <= LONGEST.link
      ? first.href
      : ''
  const isTime = typeof timestamp === 'string' && !Number.isNaN(timeWithZone(timestamp))
  return { summary, service: source ?? '', link, ...(isTime && { at: timestamp }) }
}
