import {
  type FrameIncident,
  type FrameRequest,
  frameBodies,
  readFrameHeader,
  readFrameRequests,
} from '../../src/domain/frame.ts'
import type { Draft, Payload, Recognized, Submission } from '../../src/domain/incident.ts'
import type { StoredFrame } from '../../src/journal/contract.ts'
import type { JournalEntry } from '../../src/store/ports/journal.ts'

type Recognise = (payload: Payload) => Recognized

interface Numbers {
  readonly first: number
  readonly last: number
}

/** Returns what is to be applied of frames. */
export const entriesOf = (frames: readonly StoredFrame[], recognise: Recognise): JournalEntry[] =>
  frames.flatMap(({ frame, damage, ...numbers }): JournalEntry[] =>
    damage === undefined
      ? decodeFrame(frame, numbers, recognise)
      : [{ kind: 'unreadable', ...numbers, frame, error: damage }],
  )

/**
 * Returns the incidents of a frame, recognised: one entry, or one for each incident when one of them cannot be read.
 * `numbers`: as the journal knows them, for a frame that cannot be read at all.
 */
export function decodeFrame(frame: Uint8Array, { first, last }: Numbers, recognise: Recognise): JournalEntry[] {
  const numbers = { first, last }
  try {
    const committedAt = readFrameHeader(frame)?.committedAt ?? 0
    const requests = readFrameRequests(frame)
    return (
      decodeWhole(frame, { numbers, committedAt, requests }, recognise) ??
      decodeEach(frame, { committedAt, requests }, recognise)
    )
  } catch (error) {
    return [{ kind: 'unreadable', ...numbers, frame, error: String(error) }]
  }
}

interface Read {
  readonly committedAt: number
  readonly requests: readonly FrameRequest[]
}

/** Returns undefined when an incident cannot be read. */
function decodeWhole(
  frame: Uint8Array,
  { numbers, committedAt, requests }: Read & { readonly numbers: Numbers },
  recognise: Recognise,
): JournalEntry[] | undefined {
  try {
    const submissions = requests.map((request) =>
      submissionOf(
        request,
        request.incidents.map((incident) => draftOf(incident, request, recognise)),
      ),
    )
    return [{ kind: 'ready', ...numbers, committedAt, submissions, contents: frameBodies(frame), frame }]
  } catch {
    return undefined
  }
}

function decodeEach(frame: Uint8Array, { committedAt, requests }: Read, recognise: Recognise): JournalEntry[] {
  return requests.flatMap((request) =>
    request.incidents.map((incident, at): JournalEntry => {
      const { number, body } = incident
      const place = { first: number, last: number, frame }
      try {
        const { key, origin, ...rest } = request
        const draft = draftOf(incident, request, recognise)
        const submission = submissionOf(at === 0 ? request : rest, [draft])
        return { kind: 'ready', ...place, committedAt, submissions: [submission], contents: body }
      } catch (error) {
        return { kind: 'unreadable', ...place, error: String(error) }
      }
    }),
  )
}

function submissionOf(
  { key, overrides, origin }: Pick<FrameRequest, 'key' | 'overrides' | 'origin'>,
  drafts: readonly Draft[],
): Submission {
  return {
    drafts,
    ...(key !== undefined && { key }),
    ...(overrides !== undefined && { overrides }),
    ...(origin !== undefined && { origin }),
  }
}

function draftOf({ id, body }: FrameIncident, { source, receivedAt }: FrameRequest, recognise: Recognise): Draft {
  return {
    id,
    source: source ?? 'webhook',
    createdAt: receivedAt,
    content: body,
    ...recognise(JSON.parse(textOf(body))),
  }
}

const textOf = (bytes: Uint8Array) => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString()
