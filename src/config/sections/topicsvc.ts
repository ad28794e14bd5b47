import { z } from 'zod'
import { topicOf } from '../../domain/topic.ts'
import { camelKeys, flag, httpUrl, secret, text } from '../../settings/fields.ts'

const PATH = /^(?:\/(?!\.{1,2}(?:[/?]|$))[\w.-]{1,100}){1,8}(?:\?[\w.~%&=-]{1,400})?$/
/** Paths of the service itself. */
const TAKEN = /^\/(?:api|assets|healthz|readyz|metrics)(?:[/?]|$)/

/** `topicsvc`: intake from a notification topic. */
export const topicsvc = z
  .object({
    enable: flag(false),
    topic_arn: text().refine((arn) => arn === '' || topicOf(arn) !== undefined, {
      error: 'must be the ARN of a standard topic, such as arn:aws:sns:eu-north-1:123456789012:incidents',
    }),
    /** Public address of this service, without the path. */
    https_endpoint_subscription: httpUrl(),
    https_endpoint_subscription_path: text('/sns')
      .refine((path) => PATH.test(path), {
        error: 'must be a path such as /sns, of letters, digits or any of . _ - /, perhaps with a query',
      })
      .refine((path) => !TAKEN.test(path), { error: 'is a path of the service itself: choose another' }),
    raw_delivery: flag(false),
    /** Empty: the AWS client looks for credentials in its usual places. */
    access_key_id: secret(),
    secret_access_key: secret(),
  })
  .transform(({ https_endpoint_subscription: endpoint, https_endpoint_subscription_path: path, ...raw }) => ({
    ...camelKeys(raw),
    endpoint,
    path,
  }))
