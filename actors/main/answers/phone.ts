import { createHash } from 'node:crypto'
import { type PhoneTopic, readToken } from '../../../src/answers/token.ts'
import { answersModeOf, targetsOf } from '../../../src/channels/index.ts'
import type { AnswerResult } from '../../../src/domain/answer.ts'
import { CodedError } from '../../../src/domain/errors.ts'
import type { PublicAnswer, PublicRequest } from '../../../src/http/contract.ts'
import type { Clock } from '../../../src/kernel/clock.ts'
import type { SystemSettings } from '../../wiring/settings.ts'
import type { AnswerCounts } from './counts.ts'
import type { Presses } from './press.ts'

interface PhoneDeps {
  readonly presses: Pick<Presses, 'key' | 'submit'>
  /** The settings that run now. */
  settings(): SystemSettings
  readonly clock: Pick<Clock, 'now'>
  readonly counts: Pick<AnswerCounts, 'pressed'>
}

/** The longest token has some 170 bytes. */
export const MAX_PHONE_BYTES = 1_024

/**
 * Returns what takes a press from a phone: the token of a button is the body. The answer is 200 when the problem is as the
 * button says, so that the phone clears the notification, also for a repetition. Rejects with not_found while phones have no
 * buttons, answer_token for a token that is forged, expired or of a topic that is not configured any more, and answer_busy.
 */
export function openPhone({ presses, settings, clock, counts }: PhoneDeps) {
  /** Returns the topic's person, by key; undefined: nobody is listed with it. Test messages go to the topics of ways, too. */
  const personOf = ({ topic }: PhoneTopic) =>
    topic === ''
      ? undefined
      : [...settings().people].find(([key, { ids }]) => ids.ntfy === topic || topic.startsWith(`person:${key}:`))

  return async (request: PublicRequest): Promise<PublicAnswer> => {
    const { answers, personal, alert } = settings()
    const { channels } = alert
    if (!channels.ntfy.enable || answersModeOf(channels.ntfy) === 'off') throw new CodedError('not_found')
    const token = request.body.toString().trim()
    const key = await presses.key().catch(() => Promise.reject(new CodedError('answer_busy')))
    const { order, phone } = (key && readToken(key, token)) ?? {}
    const isOpen =
      phone !== undefined &&
      phone.expiresAt > clock.now() &&
      (phone.topic === '' ||
        targetsOf(channels.ntfy)?.names.includes(phone.topic) ||
        personal?.channels.get('ntfy')?.has(phone.topic))
    if (order === undefined || !isOpen) {
      counts.pressed('ntfy', undefined, 'forged')
      throw new CodedError('answer_token')
    }
    const [person, named] = personOf(phone) ?? []
    const mayAct = person !== undefined || order.action === 'test' || answers.allow === 'everybody'
    const answer = {
      ...{ ...order, key: `ntfy ${createHash('sha256').update(token).digest('hex')}`, via: 'ntfy' as const },
      ...{
        ...(person !== undefined && { person }),
        actor: named?.name ?? 'phone (ntfy)',
        actorId: phone.topic,
        place: '',
      },
    }
    const pressed = await presses.submit(answer, { mayAct })
    if (pressed === undefined) throw new CodedError('answer_busy')
    return { status: STATUS[pressed.result], body: pressed.text, headers: HEADERS }
  }
}

/** Status of the answer to a press by its result. A phone shows a failure for all but 200. */
export const STATUS: { readonly [result in AnswerResult]: number } = {
  ...{
    done: 200,
    already: 200,
    over: 200,
    superseded: 409,
    unknown: 404,
    not_allowed: 403,
    wrong_chat: 403,
    forged: 403,
  },
  ...{ too_many: 429, not_silenced: 503, not_stored: 503 },
}
const HEADERS = { 'Content-Type': 'text/plain; charset=utf-8', 'Cache-Control': 'no-store' }
