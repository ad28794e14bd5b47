import type { Overrides, Source } from './incident.ts'
import { ID_PREFIX_BYTES, idPrefixText, incidentId } from './incident-id.ts'
import type { TopicOrigin } from './topic.ts'

/**
 * A frame: the requests of one batch, in the form in which they cross threads and lie in the journal. All numbers are
 * little-endian. The front writes columns and bodies, the journal seals the header.
 *
 *     offset  type  content
 *          0  u32   magic 0x4e435354
 *          4  u16   version of the format, 1
 *          6  u16   bytes of the header, 64
 *          8  u32   bytes of the frame, header and padding included; a multiple of 8
 *         12  u32   CRC32 of the bytes from 16 to the end
 *         16  f64   number of its first incident
 *         24  u32   life: number of the opening of the journal that wrote it
 *         28  u32   incidents
 *         32  f64   commit time, epoch milliseconds
 *         40  10 B  first bytes of its incidents' ids; the other six are the incident's number
 *         50  u16   flags: 1 = a request has an idempotency key; 2 = all frames before it are on disk
 *         52  u32   requests
 *         56  u32   bytes of the options
 *         60  u32   bytes of the bodies
 *         64  f64[] arrival of each request, epoch milliseconds
 *             u32[] incidents of each request
 *             u32[] bytes of each incident's body
 *             text  options: '' or JSON, `[position of the request, RequestOptions]` for each request that has some
 *             bytes bodies, one after another; then zeros up to the multiple of 8
 */
export const FRAME_MAGIC = 0x4e435354
export const FRAME_VERSION = 1
export const FRAME_HEADER_BYTES = 64
/** The CRC32 covers the bytes from here to the end of the frame. */
export const FRAME_CRC_FROM = 16
const KEYED = 1
const LEADS = 2
const ALIGNMENT = 8

/** Fields that few requests have; absent ones have their default. */
export interface RequestOptions {
  /** Idempotency-Key. */
  readonly key?: string
  readonly overrides?: Overrides
  /** Default: `webhook`. */
  readonly source?: Source
  /** Origin of a topic message. */
  readonly origin?: TopicOrigin
}

export interface FrameColumns {
  /** Epoch milliseconds, one for each request. */
  readonly receivedAt: readonly number[]
  /** Incidents of each request. */
  readonly counts: readonly number[]
  /** Bytes of each incident's body. */
  readonly lengths: readonly number[]
  readonly options: readonly (readonly [request: number, options: RequestOptions])[]
}

/** Header of a frame. */
export interface FrameHeader {
  readonly version: number
  /** Bytes of the header. */
  readonly headerBytes: number
  readonly bytes: number
  readonly crc32: number
  readonly first: number
  readonly life: number
  readonly incidents: number
  /** Epoch milliseconds. */
  readonly committedAt: number
  readonly idPrefix: string
  readonly keyed: boolean
  /** It is the first of its write: all frames before it were on disk when it was written. */
  readonly leads: boolean
  readonly requests: number
  readonly optionBytes: number
  readonly bodyBytes: number
}

/** One request of a frame. Bodies are views of the frame. */
export interface FrameRequest extends RequestOptions {
  /** Epoch milliseconds. */
  readonly receivedAt: number
  readonly incidents: readonly FrameIncident[]
}
export interface FrameIncident {
  readonly number: number
  readonly id: string
  /** JSON of the object, as it arrived. */
  readonly body: Uint8Array
}

const encoder = new TextEncoder()
const decoder = new TextDecoder()

/** Returns a frame that owns its whole buffer. Its header lacks what `sealFrame` writes. `bodies`: in order, no gaps. */
export function encodeFrame(columns: FrameColumns, bodies: Uint8Array): Uint8Array<ArrayBuffer> {
  const { receivedAt, counts, lengths, options } = columns
  const requests = counts.length
  const optionBytes = options.length === 0 ? NO_BYTES : encoder.encode(JSON.stringify(options))
  const countsAt = FRAME_HEADER_BYTES + requests * 8
  const lengthsAt = countsAt + requests * 4
  const optionsAt = lengthsAt + lengths.length * 4
  const bodiesAt = optionsAt + optionBytes.length
  const size = Math.ceil((bodiesAt + bodies.length) / ALIGNMENT) * ALIGNMENT
  const frame = new Uint8Array(size)
  const view = new DataView(frame.buffer)
  view.setUint32(0, FRAME_MAGIC, true)
  view.setUint16(4, FRAME_VERSION, true)
  view.setUint16(6, FRAME_HEADER_BYTES, true)
  view.setUint32(8, size, true)
  view.setUint32(28, lengths.length, true)
  view.setUint16(50, options.some(([, { key }]) => key !== undefined) ? KEYED : 0, true)
  view.setUint32(52, requests, true)
  view.setUint32(56, optionBytes.length, true)
  view.setUint32(60, bodies.length, true)
  for (let at = 0; at < requests; at++) {
    view.setFloat64(FRAME_HEADER_BYTES + at * 8, receivedAt[at] as number, true)
    view.setUint32(countsAt + at * 4, counts[at] as number, true)
  }
  for (let at = 0; at < lengths.length; at++) view.setUint32(lengthsAt + at * 4, lengths[at] as number, true)
  frame.set(optionBytes, optionsAt)
  frame.set(bodies, bodiesAt)
  return frame
}
const NO_BYTES = new Uint8Array(0)

interface Seal {
  readonly first: number
  readonly life: number
  readonly committedAt: number
  /** Ten bytes. */
  readonly idPrefix: Uint8Array
  readonly leads: boolean
}

/** Completes the header. `crc32` is passed in, because this folder imports no library. */
export function sealFrame(frame: Uint8Array, seal: Seal, crc32: (bytes: Uint8Array) => number): void {
  const view = viewOf(frame)
  view.setFloat64(16, seal.first, true)
  view.setUint32(24, seal.life, true)
  view.setFloat64(32, seal.committedAt, true)
  frame.set(seal.idPrefix, 40)
  view.setUint16(50, (view.getUint16(50, true) & KEYED) | (seal.leads ? LEADS : 0), true)
  view.setUint32(12, crc32(frame.subarray(FRAME_CRC_FROM)), true)
}

/** Reads the header. Returns undefined when the bytes do not begin like a frame of any version. */
export function readFrameHeader(bytes: Uint8Array): FrameHeader | undefined {
  if (bytes.length < FRAME_HEADER_BYTES) return undefined
  const view = viewOf(bytes)
  if (view.getUint32(0, true) !== FRAME_MAGIC) return undefined
  return {
    version: view.getUint16(4, true),
    headerBytes: view.getUint16(6, true),
    bytes: view.getUint32(8, true),
    crc32: view.getUint32(12, true),
    first: view.getFloat64(16, true),
    life: view.getUint32(24, true),
    incidents: view.getUint32(28, true),
    committedAt: view.getFloat64(32, true),
    // Few readers need the text, and it costs more than all other fields.
    get idPrefix() {
      return idPrefixText(bytes.subarray(40, 40 + ID_PREFIX_BYTES))
    },
    keyed: (view.getUint16(50, true) & KEYED) !== 0,
    leads: (view.getUint16(50, true) & LEADS) !== 0,
    requests: view.getUint32(52, true),
    optionBytes: view.getUint32(56, true),
    bodyBytes: view.getUint32(60, true),
  }
}

/** Reads the header. Throws when the bytes do not begin like a frame of any version. */
export function headerOf(frame: Uint8Array): FrameHeader {
  const header = readFrameHeader(frame)
  if (header === undefined) throw new Error('the bytes are no frame')
  return header
}

/** Reads the requests of a whole frame. Throws when the columns contradict the header. */
export function readFrameRequests(frame: Uint8Array): FrameRequest[] {
  const header = headerOf(frame)
  const { requests, incidents, first, idPrefix, bodyBytes } = header
  const view = viewOf(frame)
  const countsAt = FRAME_HEADER_BYTES + requests * 8
  const lengthsAt = countsAt + requests * 4
  const options = readFrameOptions(frame)
  let bodyAt = bodiesAt(header)
  let at = 0
  const nextIncident = (): FrameIncident => {
    const bytes = view.getUint32(lengthsAt + at * 4, true)
    const body = frame.subarray(bodyAt, bodyAt + bytes)
    bodyAt += bytes
    const number = first + at++
    return { number, id: incidentId(idPrefix, number), body }
  }
  const found = Array.from({ length: requests }, (_, request): FrameRequest => {
    const count = view.getUint32(countsAt + request * 4, true)
    if (at + count > incidents) throw new Error('the frame names more incidents than it holds')
    const receivedAt = view.getFloat64(FRAME_HEADER_BYTES + request * 8, true)
    return { ...options.get(request), receivedAt, incidents: Array.from({ length: count }, nextIncident) }
  })
  if (at !== incidents || bodyAt !== bodiesAt(header) + bodyBytes)
    throw new Error('the columns of the frame contradict its header')
  return found
}

/**
 * Returns a sealed frame of the incidents `first` to `last` of the frame, under their numbers and ids. Key and origin of
 * a request stay with its first incident.
 */
export function cutFrame(
  frame: Uint8Array,
  { first, last }: { readonly first: number; readonly last: number },
  crc32: (bytes: Uint8Array) => number,
): Uint8Array<ArrayBuffer> {
  const header = headerOf(frame)
  const kept = readFrameRequests(frame).flatMap(({ incidents, receivedAt, key, origin, ...rest }) => {
    const inside = incidents.filter(({ number }) => number >= first && number <= last)
    const whole = inside[0] === incidents[0]
    const options = { ...rest, ...(whole && key !== undefined && { key }), ...(whole && origin && { origin }) }
    return inside.length === 0 ? [] : [{ receivedAt, bodies: inside.map(({ body }) => body), options }]
  })
  const part = encodeRequests(kept)
  const { life, committedAt } = header
  sealFrame(part, { first, life, committedAt, idPrefix: frame.subarray(40, 40 + ID_PREFIX_BYTES), leads: false }, crc32)
  return part
}

/** Returns a frame of requests that were read from another one, not sealed. */
export function encodeRequests(
  requests: readonly {
    readonly receivedAt: number
    readonly bodies: readonly Uint8Array[]
    readonly options: RequestOptions
  }[],
): Uint8Array<ArrayBuffer> {
  const bodies = requests.flatMap((request) => request.bodies)
  const columns: FrameColumns = {
    receivedAt: requests.map(({ receivedAt }) => receivedAt),
    counts: requests.map((request) => request.bodies.length),
    lengths: bodies.map(({ length }) => length),
    options: requests.flatMap(({ options }, at) => (Object.keys(options).length === 0 ? [] : [[at, options] as const])),
  }
  return encodeFrame(columns, Buffer.concat(bodies))
}

/** Returns the options of those requests that have some, by position. */
export function readFrameOptions(frame: Uint8Array): ReadonlyMap<number, RequestOptions> {
  const header = readFrameHeader(frame)
  if (header === undefined || header.optionBytes === 0) return NO_OPTIONS
  const end = bodiesAt(header)
  return new Map(JSON.parse(decoder.decode(frame.subarray(end - header.optionBytes, end))))
}
const NO_OPTIONS: ReadonlyMap<number, RequestOptions> = new Map()

/** Returns the number of incidents of each request. `frame` may end with its options. */
export function readFrameCounts(frame: Uint8Array): number[] {
  const view = viewOf(frame)
  const requests = view.getUint32(52, true)
  const countsAt = FRAME_HEADER_BYTES + requests * 8
  return Array.from({ length: requests }, (_, request) => view.getUint32(countsAt + request * 4, true))
}

/** Returns the payloads of a frame: a view, not a copy. */
export function frameBodies(frame: Uint8Array): Uint8Array {
  const header = headerOf(frame)
  return frame.subarray(bodiesAt(header), bodiesAt(header) + header.bodyBytes)
}

/** Returns the bytes of a frame before its bodies: header, columns, options. */
export const bodiesAt = ({ requests, incidents, optionBytes }: FrameHeader): number =>
  FRAME_HEADER_BYTES + requests * 12 + incidents * 4 + optionBytes

const viewOf = (bytes: Uint8Array) => new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)

/** A request with an idempotency key. */
export interface KeyedRequest {
  readonly key: string
  /** Number and id of its first incident. */
  readonly number: number
  readonly id: string
}

/** Yields the keyed requests of a sealed frame, which may end with its options. Throws when it cannot be read. */
export function* keyedRequests(frame: Uint8Array): Generator<KeyedRequest> {
  const { keyed, first, idPrefix } = headerOf(frame)
  if (!keyed) return
  const options = readFrameOptions(frame)
  let number = first
  for (const [request, count] of readFrameCounts(frame).entries()) {
    const key = options.get(request)?.key
    if (key !== undefined) yield { key, number, id: incidentId(idPrefix, number) }
    number += count
  }
}
