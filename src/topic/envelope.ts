import { type KeyObject, verify } from 'node:crypto'
import { z } from 'zod'
import { CodedError } from '../domain/errors.ts'

const common = {
  MessageId: z.string().regex(/^[\w-]{1,100}$/),
  TopicArn: z.string().max(512),
  Message: z.string(),
  Timestamp: z.iso.datetime(),
  SignatureVersion: z.enum(['1', '2']),
  Signature: z.string().regex(/^[A-Za-z0-9+/]{1,1024}={0,2}$/),
  SigningCertURL: z.string().max(1_024),
}
const confirmed = { ...common, SubscribeURL: z.string().max(4_096), Token: z.string().max(2_048) }

const MESSAGE = z.discriminatedUnion('Type', [
  z.object({
    Type: z.literal('Notification'),
    ...common,
    Subject: z.string().nullish(),
    /** No signature covers them. `payload.ts` reads them after the signature is verified. */
    MessageAttributes: z.unknown().optional(),
  }),
  z.object({ Type: z.literal('SubscriptionConfirmation'), ...confirmed }),
  z.object({ Type: z.literal('UnsubscribeConfirmation'), ...confirmed }),
])

/** A well-formed topic message as it is delivered over HTTPS. Its signature is not verified yet. */
export type TopicMessage = z.output<typeof MESSAGE>
export type Notification = Extract<TopicMessage, { Type: 'Notification' }>
export type Confirmation = Exclude<TopicMessage, Notification>

/**
 * Parses a topic message. Throws topic_malformed; the message names the first wrong field and never quotes its value.
 */
export function messageOf(json: unknown): TopicMessage {
  const parsed = MESSAGE.safeParse(json)
  if (parsed.success) return parsed.data
  const [field] = parsed.error.issues[0]?.path ?? []
  const message = field === undefined ? 'the body is not a topic message' : `${String(field)} is missing or not valid`
  throw new CodedError('topic_malformed', message)
}

/** The topic service tries for this time to deliver a message. */
const WINDOW_MS = 3_600_000

/**
 * Refuses messages that are older than an hour, or more than an hour in the future, so that an old signed message
 * cannot be replayed. Throws topic_expired.
 */
export function refuseExpired({ Timestamp }: TopicMessage, now: number): void {
  if (Math.abs(now - Date.parse(Timestamp)) <= WINDOW_MS) return
  throw new CodedError('topic_expired', 'the message was not published within an hour of this clock')
}

const CONFIRMED = ['Message', 'MessageId', 'SubscribeURL', 'Timestamp', 'Token', 'TopicArn', 'Type'] as const
/** The signed fields of each type, in byte order of their names. */
const SIGNED = {
  Notification: ['Message', 'MessageId', 'Subject', 'Timestamp', 'TopicArn', 'Type'],
  SubscriptionConfirmation: CONFIRMED,
  UnsubscribeConfirmation: CONFIRMED,
} as const
const ALGORITHM = { 1: 'RSA-SHA1', 2: 'RSA-SHA256' } as const

/** Returns the text that the topic service signs: name and value of every present field, each on its own line. */
function signedText(message: TopicMessage): string {
  const fields: { readonly [name: string]: unknown } = message
  return SIGNED[message.Type]
    .map((name) => [name, fields[name]])
    .filter(([, value]) => typeof value === 'string')
    .map(([name, value]) => `${name}\n${value}\n`)
    .join('')
}

/** Verifies the signature on Node's thread pool. */
export function isSigned(message: TopicMessage, key: KeyObject): Promise<boolean> {
  const signature = Buffer.from(message.Signature, 'base64')
  const text = Buffer.from(signedText(message))
  return new Promise((resolve, reject) =>
    verify(ALGORITHM[message.SignatureVersion], text, key, signature, (error, fits) =>
      error === null ? resolve(fits) : reject(error),
    ),
  )
}
