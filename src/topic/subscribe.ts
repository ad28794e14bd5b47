import type { Topic } from '../domain/topic.ts'
import { awsHandler } from '../outbound/aws-handler.ts'
import type { Outbound } from './outbound.ts'

interface SubscribeOptions {
  readonly topic: Topic
  /** Public address of the topic's route, with its query. */
  readonly endpoint: string
  /** Empty, as is the secret: the AWS client looks in its usual places (AWS_ACCESS_KEY_ID, the machine's role). */
  readonly accessKeyId: string
  readonly secretAccessKey: string
}

const DEADLINE_MS = 15_000
const MAX_ANSWER_BYTES = 64 * 1024

/**
 * Subscribes the endpoint to the topic; idempotent. Resolves with true when the subscription is confirmed already, with
 * false when the topic will send a confirmation first. Rejects with errors of the AWS client. Follows
 * AWS_ENDPOINT_URL_SNS. The AWS client is imported here, because it is larger than all other code of the intake.
 */
export async function subscribe(options: SubscribeOptions, outbound: Outbound): Promise<boolean> {
  const { topic, endpoint } = options
  const { SNSClient, SubscribeCommand } = await import('@aws-sdk/client-sns')
  const client = new SNSClient({
    region: topic.region,
    ...credentialsOf(options),
    // The caller decides about retries.
    maxAttempts: 1,
    requestHandler: awsHandler(({ url, headers, body }) =>
      outbound.send({ url, method: 'POST', headers, body, maxBytes: MAX_ANSWER_BYTES, deadlineMs: DEADLINE_MS }),
    ),
  })
  const Protocol = endpoint.startsWith('https:') ? 'https' : 'http'
  const command = new SubscribeCommand({ TopicArn: topic.arn, Protocol, Endpoint: endpoint })
  try {
    const { SubscriptionArn } = await client.send(command)
    return SubscriptionArn?.startsWith('arn:') ?? false
  } finally {
    client.destroy()
  }
}

function credentialsOf({ accessKeyId, secretAccessKey }: SubscribeOptions) {
  return accessKeyId === '' ? {} : { credentials: { accessKeyId, secretAccessKey } }
}
