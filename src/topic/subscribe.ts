import type { Topic } from '../domain/topic.ts'
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
    requestHandler: handlerOver(outbound),
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

/** A signed request of the AWS client. */
interface ClientRequest {
  readonly protocol: string
  readonly hostname: string
  readonly port?: number
  readonly path: string
  readonly method: string
  readonly query?: { readonly [name: string]: string | readonly string[] | null }
  readonly headers: { readonly [name: string]: string }
  readonly body?: unknown
}

/** Returns a request handler that uses proxies; the AWS client's own does not. */
function handlerOver(outbound: Outbound) {
  return {
    async handle({ protocol, hostname, port, path, headers, body }: ClientRequest) {
      const url = `${protocol}//${hostname}${port === undefined ? '' : `:${port}`}${path}`
      // undici writes `host` itself.
      const { host: _, ...sent } = headers
      const answer = await outbound.send({
        url,
        method: 'POST',
        headers: sent,
        body: bytesOf(body),
        maxBytes: MAX_ANSWER_BYTES,
        deadlineMs: DEADLINE_MS,
      })
      return { response: { statusCode: answer.status, headers: answer.headers, body: answer.body } }
    },
  }
}

function bytesOf(body: unknown): string | Uint8Array {
  if (typeof body === 'string' || body instanceof Uint8Array) return body
  throw new TypeError('the body of the request is neither text nor bytes')
}
