import { CodedError } from '../domain/errors.ts'
import type { Topic } from '../domain/topic.ts'

const DOMAIN = { aws: 'amazonaws.com', 'aws-us-gov': 'amazonaws.com', 'aws-cn': 'amazonaws.com.cn' } as const

/** The only host that is believed: the one that serves the topic's own region. */
export const hostOf = ({ partition, region }: Topic): string => `sns.${region}.${DOMAIN[partition]}`

/** Names that the region's signing certificates are made out to (as the AWS SDK for Java's `sns-message-manager` lists them). */
export function signersOf(topic: Topic): readonly string[] {
  const { partition, region } = topic
  switch (partition) {
    case 'aws':
      return ['sns.amazonaws.com', `sns-signing.${region}.amazonaws.com`, hostOf(topic)]
    case 'aws-us-gov':
      return ['sns-us-gov-west-1.amazonaws.com', hostOf(topic)]
    case 'aws-cn':
      return [`sns-${region}.amazonaws.com.cn`, hostOf(topic)]
    default:
      return partition satisfies never
  }
}

const CERTIFICATE_PATH = /^[\w-]{1,128}\.pem$/
/** Printable ASCII but for what URL parsers mend or cut off. */
const PLAIN_QUERY = /^[\x21\x22\x24-\x5b\x5d-\x7e]{1,2048}$/

/**
 * The text is compared, not what a parser makes of it: no user, port, other path, query or escape gets through. Throws `topic_address`.
 * A query would let the host's API answer with what somebody stored there.
 */
export function certificateAddress(text: string, host: string): string {
  const start = `https://${host}/`
  if (text.startsWith(start) && CERTIFICATE_PATH.test(text.slice(start.length))) return text
  throw new CodedError('topic_address', `SigningCertURL is not the address of a certificate at ${host}`)
}

/** Likewise: a call of the host's API. Throws `topic_address`. */
export function confirmationAddress(text: string, host: string): string {
  const start = `https://${host}/?`
  if (text.startsWith(start) && PLAIN_QUERY.test(text.slice(start.length))) return text
  throw new CodedError('topic_address', `SubscribeURL is not an address at ${host}`)
}
