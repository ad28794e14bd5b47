import { type KeyObject, verify } from 'node:crypto'
import type { TopicMessage } from './envelope.ts'

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
