import { randomUUID, sign } from 'node:crypto'
import type { Identity } from './authority.ts'

export const ARN = 'arn:aws:sns:eu-north-1:123456789012:incidents'
export const HOST = 'sns.eu-north-1.amazonaws.com'
const CERTIFICATE = `https://${HOST}/SimpleNotificationService-1.pem`

export interface Fields {
  readonly [name: string]: unknown
}

/** An unsigned notification of the topic, published just now. */
export function notification(fields: Fields = {}): Fields {
  return {
    Type: 'Notification',
    MessageId: randomUUID(),
    TopicArn: ARN,
    Message: JSON.stringify({ ServiceName: 'ledger', Logs: 'cannot write' }),
    Timestamp: new Date().toISOString(),
    SignatureVersion: '1',
    SigningCertURL: CERTIFICATE,
    UnsubscribeURL: `https://${HOST}/?Action=Unsubscribe`,
    ...fields,
  }
}

export function confirmation(fields: Fields = {}): Fields {
  const SubscribeURL = `https://${HOST}/?Action=ConfirmSubscription&TopicArn=${ARN}&Token=token`
  return notification({ Type: 'SubscriptionConfirmation', Message: 'Confirm', Token: 'token', SubscribeURL, ...fields })
}

const NOT_SIGNED = new Set(['SignatureVersion', 'Signature', 'SigningCertURL', 'UnsubscribeURL', 'MessageAttributes'])

/** With the signature that the topic service would give it. */
export function signed(message: Fields, { key }: Identity): Fields {
  const names = Object.keys(message).filter((name) => !NOT_SIGNED.has(name))
  const text = names.sort().map((name) => `${name}\n${message[name]}\n`)
  const algorithm = message.SignatureVersion === '2' ? 'sha256' : 'sha1'
  return { ...message, Signature: sign(algorithm, Buffer.from(text.join('')), key).toString('base64') }
}
