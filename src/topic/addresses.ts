import { CodedError } from '../domain/errors.ts'
import type { Topic } from '../domain/topic.ts'

const DOMAIN = { aws: 'amazonaws.com', 'aws-us-gov': 'amazonaws.com', 'aws-cn': 'amazonaws.com.cn' } as const

/** Returns the only trusted host: that of the topic's region. */
export const hostOf = ({ partition, region }: Topic): string => `sns.${region}.${DOMAIN[partition]}`

/** Returns the host names in the region's signing certificates, as in `sns-message-manager` of the AWS SDK for Java. */
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
/** Printable ASCII, without characters that URL parsers change or cut off. */
const PLAIN_QUERY = /^[\x21\x22\x24-\x5b\x5d-\x7e]{1,2048}$/

/**
 * Returns the address if it is that of a certificate at the host. Throws topic_address. The text itself is compared,
 * not what a URL parser makes of it, so that no user, port, other path, query or escape passes. With a query, the
 * host's API would answer with data that an attacker stored there.
 */
export function certificateAddress(text: string, host: string): string {
  const start = `https://${host}/`
  if (text.startsWith(start) && CERTIFICATE_PATH.test(text.slice(start.length))) return text
  throw new CodedError('topic_address', `SigningCertURL is not the address of a certificate at ${host}`)
}

/** Returns the address if it is a call of the host's API, compared in the same way. Throws topic_address. */
export function confirmationAddress(text: string, host: string): string {
  const start = `https://${host}/?`
  if (text.startsWith(start) && PLAIN_QUERY.test(text.slice(start.length))) return text
  throw new CodedError('topic_address', `SubscribeURL is not an address at ${host}`)
}
