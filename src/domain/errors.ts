/**
 * Catalogue of failures. A code is stable: clients, metrics and docs name it; the sentence may change. `status` is the
 * HTTP status of an answer that reports the failure.
 */
export const ERRORS = {
  body_empty: { status: 400, message: 'the request body is empty' },
  body_not_utf8: { status: 400, message: 'the request body is not valid UTF-8' },
  body_not_json: { status: 400, message: 'the request body is not valid JSON' },
  body_not_object: { status: 400, message: 'an incident must be a JSON object' },
  body_too_deep: { status: 400, message: 'the JSON is nested too deep' },
  body_bad_encoding: { status: 400, message: 'the request body does not match its Content-Encoding' },
  array_empty: { status: 400, message: 'the array holds no incident' },
  bad_parameter: { status: 400, message: 'a query parameter is not valid' },
  bad_idempotency_key: { status: 400, message: 'the Idempotency-Key is not valid' },
  topic_malformed: { status: 400, message: 'the body is not a topic message' },
  topic_mismatch: { status: 400, message: 'the message is from another topic' },
  topic_expired: { status: 400, message: 'the message was not published within the last hour' },
  topic_address: { status: 400, message: 'the message names an address that is not the topic service' },
  topic_certificate: { status: 400, message: 'the signing certificate is not trusted' },
  topic_signature: { status: 400, message: 'the signature does not match the message' },
  topic_raw: { status: 400, message: 'raw delivery is not accepted' },
  unauthorized: { status: 401, message: 'unauthorized' },
  answer_signature: { status: 401, message: 'the signature of the press or report does not match, or is too old' },
  origin_forbidden: { status: 403, message: 'requests of this origin are not accepted' },
  action_refused: { status: 403, message: 'the token may not do that' },
  answer_token: { status: 403, message: 'the button is not of this service, or is too old' },
  not_found: { status: 404, message: 'not found' },
  method_not_allowed: { status: 405, message: 'method not allowed' },
  body_too_large: { status: 413, message: 'the request body is too large' },
  silence_too_broad: { status: 409, message: 'the silence would hold more than half of all incidents' },
  confirm_stale: {
    status: 409,
    message: 'the handle is used, too old or of another token, or the problem has changed',
  },
  silence_expired: { status: 409, message: 'the silence has ended' },
  too_many_incidents: { status: 413, message: 'the request holds too many incidents' },
  unsupported_type: { status: 415, message: 'this Content-Type is not accepted' },
  unsupported_encoding: { status: 415, message: 'this Content-Encoding is not accepted' },
  too_many_attempts: { status: 429, message: 'too many wrong secrets from this address' },
  too_many_calls: { status: 429, message: 'the token calls too often' },
  provider_unreachable: { status: 502, message: 'the provider could not be reached' },
  provider_silent: { status: 504, message: 'the provider got the request and did not answer' },
  internal: { status: 500, message: 'the service failed: a bug, its log has more' },
  ingest_full: { status: 503, message: 'too many requests are waiting for the disk' },
  answer_busy: { status: 503, message: 'the answer was not stored' },
  alerts_full: { status: 503, message: 'too many alerts fire' },
  backlog_full: { status: 503, message: 'too many deliveries are pending' },
  mcp_full: { status: 503, message: 'too many calls of the Model Context Protocol are being answered' },
  tail_full: { status: 503, message: 'too many clients watch the live tail' },
  storage_full: { status: 503, message: 'the disk is full' },
  storage_down: { status: 503, message: 'the storage is not available' },
  topic_busy: { status: 503, message: 'too many topic messages are being verified' },
  topic_unreachable: { status: 503, message: 'the topic service cannot be reached' },
  shutting_down: { status: 503, message: 'the service is shutting down' },
  config_invalid: { status: 500, message: 'the configuration is not valid' },
  template_invalid: { status: 400, message: 'the template does not parse' },
  routes_invalid: { status: 400, message: 'the proposed configuration is not valid' },
  rehearsal_busy: { status: 503, message: 'another rehearsal runs' },
  template_failed: { status: 400, message: 'the template failed while rendering' },
  template_deadline: { status: 400, message: 'the template ran longer than its deadline' },
  template_output: { status: 400, message: 'the template printed more than 1 MiB' },
  source_failed: { status: 502, message: 'the log source could not be read' },
  agent_lagging: { status: 503, message: 'the agent has too many lines to read' },
  agent_off: { status: 404, message: 'the agent is not enabled' },
  analysis_failed: { status: 502, message: 'the analysis gave no finding' },
  not_ready: { status: 503, message: 'the service is not ready' },
  ask_timeout: { status: 503, message: 'a part of the service did not answer in time' },
  peer_down: { status: 503, message: 'a part of the service is down and being started again' },
} as const satisfies { [code: string]: { status: number; message: string } }

export type ErrorCode = keyof typeof ERRORS

/** A failure with a code of the catalogue. The message names the cause and what to do, and holds no secret. */
export class CodedError extends Error {
  readonly code: ErrorCode
  constructor(code: ErrorCode, message: string = ERRORS[code].message, options?: ErrorOptions) {
    super(message, options)
    this.name = 'CodedError'
    this.code = code
  }
}
