import { promisify } from 'node:util'
import { gunzip } from 'node:zlib'
import { CodedError } from '../../domain/errors.ts'
import type { Pulled, RawEvent } from './contract.ts'
import { createMultiline } from './multiline.ts'
import { eventOf, eventOfLine } from './records.ts'

/** Bytes buffered in memory between push and pull; beyond it a push is refused with agent_lagging. */
const MAX_WAITING_BYTES = 16 * 1024 * 1024
const MAX_UNPACKED_BYTES = 32 * 1024 * 1024
const MAX_PULLED = 10_000

const unzip = promisify(gunzip)

/** Reads the events of an unpacked body. `rejected`: records that are none. Throws a CodedError for a body of another form. */
export type Read = (
  body: Buffer,
  contentType: string,
) => { readonly events: readonly RawEvent[]; readonly rejected?: number }

/** A log source that receives its lines over HTTP. */
export type PushSource = ReturnType<typeof createPushSource>

export function createPushSource(read: Read = linesReader()) {
  const waiting: { readonly events: readonly RawEvent[]; readonly bytes: number }[] = []
  let waitingBytes = 0

  /**
   * Buffers the events of a body, plain or gzipped. Rejects with agent_lagging, body_too_large, body_bad_encoding, and as
   * `read` throws.
   */
  async function push(body: Uint8Array, contentType: string) {
    if (waitingBytes > 0 && waitingBytes + body.length > MAX_WAITING_BYTES) throw new CodedError('agent_lagging')
    const plain = await unpacked(body)
    if (waitingBytes > 0 && waitingBytes + plain.length > MAX_WAITING_BYTES) throw new CodedError('agent_lagging')
    const { events, rejected = 0 } = read(plain, contentType)
    if (events.length > 0) {
      waiting.push({ events, bytes: plain.length })
      waitingBytes += plain.length
    }
    return { accepted: events.length, rejected }
  }

  return {
    push,
    async pull(): Promise<Pulled> {
      const events: RawEvent[] = []
      while (events.length < MAX_PULLED) {
        const next = waiting.shift()
        if (!next) break
        waitingBytes -= next.bytes
        for (const event of next.events) events.push(event)
      }
      return { events, cursor: {}, more: waiting.length > 0 }
    },
  }
}

/** Reads lines, ndjson, or a JSON array of records. Throws body_not_json. */
function linesReader(): Read {
  const multiline = createMultiline({ enable: true, eventStart: '' })
  return (body, contentType) => {
    const text = body.toString('utf8')
    const lines = () => text.split(/\r?\n/)
    const kind = contentType.split(';', 1)[0]?.trim().toLowerCase() ?? ''
    if (/[/-]ndjson$|jsonl/.test(kind))
      return { events: lines().flatMap((line) => (line === '' ? [] : (eventOfLine(line) ?? []))) }
    if (/^application\/(?:json|[^\s/]+\+json)$/.test(kind)) return { events: recordsOf(text) }
    return { events: multiline(lines()).events.map((each) => ({ text: each })) }
  }
}

async function unpacked(body: Uint8Array): Promise<Buffer> {
  const bytes = Buffer.from(body.buffer, body.byteOffset, body.byteLength)
  if (bytes[0] !== 0x1f || bytes[1] !== 0x8b) return bytes
  try {
    return await unzip(bytes, { maxOutputLength: MAX_UNPACKED_BYTES })
  } catch (error) {
    const tooLarge = (error as { code?: unknown }).code === 'ERR_BUFFER_TOO_LARGE'
    throw new CodedError(tooLarge ? 'body_too_large' : 'body_bad_encoding')
  }
}

function recordsOf(text: string): RawEvent[] {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    throw new CodedError('body_not_json')
  }
  const records = Array.isArray(value) ? value : [value]
  return records.flatMap((record) => eventOf(record) ?? [])
}
