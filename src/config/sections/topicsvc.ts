import { z } from 'zod'
import { flag, httpUrl, secret, text } from '../scalars.ts'

const PATH = /^\/[\w./-]{1,200}$/

/** `topicsvc`: intake from a notification topic. */
export const topicsvc = z
  .object({
    enable: flag(false),
    topic_arn: text(),
    https_endpoint_subscription: httpUrl(),
    https_endpoint_subscription_path: text('/sns').refine((path) => PATH.test(path), {
      error: 'must be a path that begins with / and holds letters, digits or any of . _ - /',
    }),
    access_key_id: secret(),
    secret_access_key: secret(),
  })
  .transform((raw) => ({
    enable: raw.enable,
    topicArn: raw.topic_arn,
    /** Public address of this service, without the path. */
    endpoint: raw.https_endpoint_subscription,
    path: raw.https_endpoint_subscription_path,
    /** Empty: the cloud client looks for credentials in its own places. */
    accessKeyId: raw.access_key_id,
    secretAccessKey: raw.secret_access_key,
  }))
