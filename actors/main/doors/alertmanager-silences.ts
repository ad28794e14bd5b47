import { BadRequest } from '../../../src/alertmanager/body.ts'
import {
  bySilenceOrder,
  hasMatchers,
  isChange,
  type PostedSilence,
  readSilence,
  settingsOf,
  silenceJson,
  silenceNumber,
  uuidOf,
} from '../../../src/alertmanager/silences.ts'
import { flagsOf, matchersIn } from '../../../src/alertmanager/views.ts'
import { CodedError } from '../../../src/domain/errors.ts'
import { jsonOf } from '../../../src/http/body/documents.ts'
import type { PublicAnswer, PublicRequest } from '../../../src/http/contract.ts'
import { compileFits, silenceFault } from '../../../src/policy/silences/silence.ts'
import type { PlainSilence } from '../../../src/store/ports/silences.ts'
import { type DoorDeps, DoorError, EMPTY_ANSWER, jsonAnswer, typeOf } from './door.ts'

const JSON_TYPE = 'application/json'
/** A comment that begins with it is the consent to a silence that would have held more than half of all incidents. */
const CONSENT = /^broad:/i

/** Silences by the API of Alertmanager. Those with causes are not among them. */
export function openSilenceRequests({ askStorage, clock }: Pick<DoorDeps, 'askStorage' | 'clock'>) {
  const all = async (live: boolean, id?: number): Promise<PlainSilence[]> => {
    const silences = await askStorage({ kind: 'plainSilences', live, ...(id !== undefined && { id }) })
    return silences.filter(({ settings }) => settings.while === undefined)
  }

  async function found({ id: uuid = '' }: PublicRequest['params']): Promise<PlainSilence> {
    const id = silenceNumber(uuid)
    const [silence] = id === undefined ? [] : await all(false, id)
    if (silence === undefined) throw new DoorError('not_found', 'silence not found')
    return silence
  }

  async function put(posted: PostedSilence): Promise<number> {
    const now = clock.now()
    const settings = settingsOf(posted, now)
    const earlier = posted.id === undefined ? undefined : await found({ id: posted.id })
    if (earlier?.origin === 'config' && earlier.state !== 'ended') throw new BadRequest(ofConfiguration(earlier))
    checkConditions(settings)
    if (earlier !== undefined && isChange(earlier, posted, now)) {
      const { owner, comment, endsAt, asSent } = settings
      const startsAt = earlier.state === 'active' ? earlier.settings.startsAt : settings.startsAt
      check({ ...settings, startsAt }, now)
      const changes = { startsAt, endsAt, owner, comment, ...(asSent && { asSent }) }
      await askStorage({ kind: 'changeSilence', id: earlier.id, changes })
      return earlier.id
    }
    check(settings, now)
    // The new one begins first: what it holds on for the other is told by neither.
    const { silence } = await askStorage({ kind: 'addSilence', settings, broad: CONSENT.test(posted.comment) })
    if (earlier !== undefined && earlier.state !== 'ended') await end(earlier.id, posted.createdBy)
    return silence.id
  }

  const end = (id: number, by: string) =>
    askStorage({ kind: 'endSilence', id, by }).catch((error: Error & { code?: string }) => {
      if (error.code !== 'silence_expired') throw error
    })

  return {
    async silences({ query }: PublicRequest): Promise<PublicAnswer> {
      const search = new URLSearchParams(query)
      const wanted = matchersIn(search, 'filter')
      const [active, expired, pending] = flagsOf(search, ['active', 'expired', 'pending'])
      const states = { active, expired, pending }
      const shown = (await all(expired !== true)).map(silenceJson)
      return jsonAnswer(
        200,
        shown.filter((each) => states[each.status.state] && hasMatchers(each, wanted)).sort(bySilenceOrder),
      )
    },
    silence: async ({ params }: PublicRequest) => jsonAnswer(200, silenceJson(await found(params))),
    async endSilence({ params }: PublicRequest): Promise<PublicAnswer> {
      const silence = await found(params)
      if (silence.state === 'ended') return EMPTY_ANSWER
      if (silence.origin === 'config') throw new BadRequest(ofConfiguration(silence))
      await end(silence.id, 'alertmanager API')
      return EMPTY_ANSWER
    },
    async addSilence(request: PublicRequest): Promise<PublicAnswer> {
      if (typeOf(request) !== JSON_TYPE)
        throw new DoorError('unsupported_type', `the Content-Type must be ${JSON_TYPE}`)
      const posted = readSilence(jsonOf(request.body), clock.now())
      const id = await put(posted).catch((error) => {
        throw (error as { code?: string }).code === 'silence_too_broad' ? new BadRequest(tooBroad(error)) : error
      })
      return jsonAnswer(200, { silenceID: uuidOf(id) })
    },
  }
}

const ofConfiguration = ({ settings }: PlainSilence) =>
  `the silence is part of the configuration: change it in ${settings.where}`

/** Replaces the advice, which is for the own API. */
const tooBroad = ({ message }: Error) =>
  `${message.split(':')[0]}: narrow its matchers, or begin the comment with "broad:"`

function checkConditions({ conditions }: PlainSilence['settings']): void {
  for (const condition of conditions)
    try {
      compileFits([condition])
    } catch (error) {
      throw new BadRequest(`invalid silence: matcher on ${condition.field} ${(error as Error).message}`)
    }
}

const THEIR_NAMES: { readonly [part: string]: string } = { match: 'matchers', owner: 'createdBy', ends_at: 'endsAt' }

function check(settings: PlainSilence['settings'], now: number): void {
  const fault = silenceFault(settings, now)
  if (fault !== undefined)
    throw new BadRequest(`invalid silence: ${THEIR_NAMES[fault.part] ?? fault.part} ${fault.message}`)
  if (settings.endsAt <= now) throw new CodedError('bad_parameter', 'endsAt must be ahead')
}
