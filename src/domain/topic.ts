/** A standard notification topic. FIFO topics deliver to queues only. */
export interface Topic {
  readonly arn: string
  readonly partition: 'aws' | 'aws-cn' | 'aws-us-gov'
  readonly region: string
}

const ARN = /^arn:(aws|aws-cn|aws-us-gov):sns:([a-z]{2,8}(?:-[a-z0-9]{1,16}){1,4}):\d{12}:[\w-]{1,256}$/

/** Returns undefined when `arn` is not the ARN of a topic. */
export function topicOf(arn: string): Topic | undefined {
  const [, partition, region] = ARN.exec(arn) ?? []
  if (partition === undefined || region === undefined) return undefined
  return { arn, partition: partition as Topic['partition'], region }
}

/** Envelope of a topic message. */
export interface TopicOrigin {
  readonly message_id: string
  readonly topic_arn: string
  readonly subject: string | null
  /** ISO 8601, by the topic's clock; null for raw delivery. */
  readonly published_at: string | null
  /** The message attributes. No signature covers them. */
  readonly attributes: { readonly [name: string]: { readonly type: string; readonly value: string } }
}
