import type { PublicAnswer, PublicRequest } from '../../../src/http/contract.ts'
import { CREDENTIAL_HEADERS, credentialsOf, KeyRing } from '../../../src/http/credentials.ts'
import type { SystemSettings } from '../../wiring/settings.ts'
import {
  answersOf,
  authenticate,
  type Door,
  type DoorDeps,
  DoorError,
  jsonAnswer,
  perSettings,
  type Refusal,
  typeOf,
} from './door.ts'

const MAX_BODY_BYTES = 32 * 1024 * 1024
const JSON_TYPE = 'application/json'
const PROTOBUF = 'application/x-protobuf'
const binaryAnswer = answersOf(PROTOBUF)
/** Codes of gRPC, for the `Status` of a refusal. */
const INVALID_ARGUMENT = 3
const UNAVAILABLE = 14
const UNAUTHENTICATED = 16

/** OTLP/HTTP logs: a log source of type `otlp`. Lines are buffered in memory, like those of type `http`. */
export function otlp(deps: DoorDeps): Door {
  const { askAgent, settings } = deps

  const ring = perSettings(settings, ({ agent }) => new KeyRing(tokensOf(agent)))

  async function logs(request: PublicRequest): Promise<PublicAnswer> {
    const given = credentialsOf(request.headers)
    if (given.length === 0) throw new DoorError('unauthorized')
    const source = authenticate(deps, request, () => given.map((key) => ring().nameOf(key)).find(Boolean))
    const contentType = typeOf(request)
    if (contentType !== JSON_TYPE && contentType !== PROTOBUF)
      throw new DoorError('unsupported_type', `the Content-Type must be ${PROTOBUF} or ${JSON_TYPE}`)
    const { rejected = 0 } = await askAgent({ kind: 'push', source, contentType, body: request.body })
    return taken(contentType, rejected)
  }

  return {
    name: 'otlp',
    isOpen: ({ agent }) => agent.enable && tokensOf(agent).size > 0,
    refuse: (refusal, request) => refuse(refusal, request === undefined ? JSON_TYPE : typeOf(request)),
    routes: [
      {
        method: 'POST',
        path: '/v1/logs',
        headers: ['content-type', ...CREDENTIAL_HEADERS],
        maxBodyBytes: MAX_BODY_BYTES,
        gzip: true,
        answer: (request) => logs(request),
      },
    ],
  }
}

/** Returns the tokens of the enabled sources by their names. */
const tokensOf = ({ sources }: SystemSettings['agent']) =>
  new Map(sources.flatMap(({ name, type, enable, otlp }) => (type === 'otlp' && enable ? [[name, otlp.token]] : [])))

/** An `ExportLogsServiceResponse`, in the type of the request. */
function taken(contentType: string, rejected: number): PublicAnswer {
  const message = `${rejected} log records have no text`
  if (contentType === JSON_TYPE)
    return jsonAnswer(
      200,
      rejected === 0 ? {} : { partialSuccess: { rejectedLogRecords: String(rejected), errorMessage: message } },
    )
  const partial =
    rejected === 0 ? Buffer.alloc(0) : Buffer.concat([Buffer.from([0x08]), varint(rejected), text(2, message)])
  const body = rejected === 0 ? partial : Buffer.concat([Buffer.from([0x0a]), varint(partial.length), partial])
  return binaryAnswer(200, body)
}

/** A `Status` of gRPC. */
function refuse({ status, message, headers }: Refusal, contentType: string): PublicAnswer {
  const code = status === 401 ? UNAUTHENTICATED : status >= 500 || status === 429 ? UNAVAILABLE : INVALID_ARGUMENT
  if (contentType !== PROTOBUF) return jsonAnswer(status, { code, message }, headers)
  const body = Buffer.concat([Buffer.from([0x08, code]), text(2, message)])
  return binaryAnswer(status, body, headers)
}

function text(field: number, value: string): Buffer {
  const bytes = Buffer.from(value)
  return Buffer.concat([Buffer.from([(field << 3) | 2]), varint(bytes.length), bytes])
}

function varint(value: number): Buffer {
  const bytes: number[] = []
  for (let rest = value; ; rest = Math.floor(rest / 128)) {
    if (rest < 128) return Buffer.from([...bytes, rest])
    bytes.push((rest % 128) | 0x80)
  }
}
