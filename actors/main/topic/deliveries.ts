import { CodedError, ERRORS } from '../../../src/domain/errors.ts'
import type { Overrides } from '../../../src/domain/incident.ts'
import type { Topic, TopicOrigin } from '../../../src/domain/topic.ts'
import { jsonOf, payloadsOf } from '../../../src/http/body/documents.ts'
import type { IntakeAnswer, PublicAnswer, PublicRequest, Submit } from '../../../src/http/contract.ts'
import type { Clock } from '../../../src/kernel/clock.ts'
import { certificateAddress, confirmationAddress, hostOf } from '../../../src/topic/addresses.ts'
import type { Certificates } from '../../../src/topic/certificates.ts'
import type { Confirmations } from '../../../src/topic/confirmations.ts'
import {
  type Confirmation,
  isSigned,
  messageOf,
  type Notification,
  refuseExpired,
} from '../../../src/topic/envelope.ts'
import { bodyOf, isRaw, originOf, rawOrigin } from '../../../src/topic/payload.ts'
import type { TopicReports } from './reports.ts'

export interface TopicHandlerDeps {
  readonly topic: Topic
  /** Takes raw messages, which have no envelope and so no signature. */
  readonly rawDelivery: boolean
  readonly certificates: Pick<Certificates, 'keyAt'>
  readonly confirmations: Pick<Confirmations, 'visit'>
  readonly submit: Submit
  readonly clock: Clock
  /** Reads the overrides in the query of the subscribed address. Throws bad_parameter. */
  overridesOf(query: string): Overrides | undefined
  /** Called with every payload whose signature was valid, or that came raw (alert.debug_body). */
  readonly onPayload?: (text: string) => void
  readonly report: ReturnType<TopicReports['handler']>
}

/** Messages under way at once; further ones are answered 503 topic_busy. */
const MAX_UNDER_WAY = 256

/**
 * Answers deliveries of the topic. The route is public, so cheap checks come first, nothing is fetched except from the
 * topic service's own host, and nothing of a message is used before its signature is verified.
 */
export function topicHandler(deps: TopicHandlerDeps): (request: PublicRequest) => Promise<PublicAnswer> {
  const { topic, certificates, confirmations, submit, clock, report } = deps
  const host = hostOf(topic)
  let underWay = 0

  async function answer(request: PublicRequest): Promise<PublicAnswer> {
    underWay++
    try {
      if (underWay > MAX_UNDER_WAY) throw new CodedError('topic_busy')
      return await (isRaw(request.headers) ? takeRaw(request) : take(request))
    } catch (error) {
      if (error instanceof CodedError) report.refused(error.code, error.message)
      throw error
    } finally {
      underWay--
    }
  }

  async function take({ body, query }: PublicRequest): Promise<PublicAnswer> {
    const message = messageOf(jsonOf(body))
    refuseOther(message.TopicArn)
    refuseExpired(message, clock.now())
    const certificate = certificateAddress(message.SigningCertURL, host)
    const confirmation = message.Type === 'Notification' ? '' : confirmationAddress(message.SubscribeURL, host)
    if (!(await isSigned(message, await certificates.keyAt(certificate)))) throw new CodedError('topic_signature')
    const overrides = deps.overridesOf(query)
    if (message.Type === 'Notification') return notified(message, overrides)
    return confirm(message, confirmation)
  }

  async function notified(message: Notification, overrides: Overrides | undefined): Promise<PublicAnswer> {
    const origin = originOf(message)
    const answered = await raise({ text: Buffer.from(message.Message), origin, overrides, key: message.MessageId })
    report.taken(message.Type)
    return answered
  }

  async function confirm({ Type, MessageId }: Confirmation, address: string): Promise<PublicAnswer> {
    if (Type === 'UnsubscribeConfirmation') report.unsubscribed()
    await confirmations.visit(MessageId, address)
    report.taken(Type)
    return reply(200, 'Subscription confirmed')
  }

  async function takeRaw({ headers, body, query }: PublicRequest): Promise<PublicAnswer> {
    if (!deps.rawDelivery)
      throw new CodedError(
        'topic_raw',
        'raw delivery is not accepted: it has no signature (topicsvc.raw_delivery allows it)',
      )
    const origin = rawOrigin(headers)
    refuseOther(origin.topic_arn)
    if (body.length === 0) throw new CodedError('body_empty')
    const overrides = deps.overridesOf(query)
    const answered = await raise({ text: body, origin, overrides, key: `raw ${origin.message_id}` })
    report.taken('Raw')
    return answered
  }

  function refuseOther(arn: string): void {
    if (arn !== topic.arn) throw new CodedError('topic_mismatch')
  }

  async function raise({ text, origin, overrides, key }: TopicIncident): Promise<PublicAnswer> {
    const body = bodyOf(text, origin.subject, (json) => payloadsOf(json, 'json'))
    if (deps.onPayload) for (const payload of payloadsOf(body, 'json')) deps.onPayload(JSON.stringify(payload))
    const request = {
      format: 'json' as const,
      source: 'topic' as const,
      origin,
      overrides,
      receivedAt: clock.now(),
      // An Idempotency-Key cannot hold a space, so a webhook cannot use this key.
      key: `sns ${key}`,
    }
    const result = await new Promise<IntakeAnswer>((resolve, reject) => {
      const submitted = submit({ ...request, answer: resolve }, body)
      if (submitted === 'invalid') reject(new Error('a message was refused that can be parsed'))
      else if (submitted !== 'taken') reject(new CodedError(submitted))
    })
    if (result.kind === 'created' && overrides?.warnings !== undefined) report.warned(overrides.warnings)
    return answerOf(result)
  }

  return answer
}

interface TopicIncident {
  readonly text: Buffer
  readonly origin: TopicOrigin
  readonly overrides: Overrides | undefined
  readonly key: string
}

/** The topic delivers again after a 5xx, and gives up after a 4xx. */
function answerOf(result: IntakeAnswer): PublicAnswer {
  switch (result.kind) {
    case 'created':
      return reply(200, 'Incident created', result.id)
    case 'duplicate':
      return reply(200, 'Incident already created', result.id)
    case 'refused':
      throw new CodedError(result.code, ERRORS[result.code].message)
    default:
      return result satisfies never
  }
}

function reply(status: number, message: string, id?: string): PublicAnswer {
  const headers = { 'Content-Type': 'application/json', ...(id === undefined ? {} : { 'X-Incident-Id': id }) }
  return { status, body: JSON.stringify({ status: message }), headers }
}
