import type { Draft, Submission } from '../../domain/commit.ts'
import type { Overrides, Sender, Source, Status } from '../../domain/incident.ts'
import type { TopicOrigin } from '../../domain/topic.ts'

/**
 * Submissions as one text and one buffer. A thread boundary copies the text and transfers the buffer, where an object
 * graph would be cloned field by field. The database stores journal entries in the same form.
 */
export interface PackedSubmissions {
  /** JSON of `SubmissionRow[]`. */
  readonly rows: string
  /** Payloads in the order of the rows, without gaps; owns its whole buffer. */
  readonly contents: Uint8Array<ArrayBuffer>
  /** Number of submissions; `incidents`: of all their incidents. */
  readonly submissions: number
  readonly incidents: number
  /** True when at least one has an idempotency key. */
  readonly keyed: boolean
}

type SubmissionRow = readonly [
  key: string | null,
  overrides: Overrides | null,
  origin: TopicOrigin | null,
  drafts: readonly DraftRow[],
]
type DraftRow = readonly [
  id: string,
  source: Source,
  createdAt: number,
  sender: Sender,
  title: string,
  service: string,
  severity: string,
  status: Status,
  fingerprint: string,
  contentBytes: number,
]

/** Bound of one pack. A pack is one row on disk: to read one of its payloads, all are read. */
const MAX_PACKED_BYTES = 64 * 1024

/** Packs submissions in their order, into packs of at most 64 KiB; a larger submission has a pack of its own. */
export function packSubmissions(submissions: readonly Submission[]): PackedSubmissions[] {
  const packs: PackedSubmissions[] = []
  let [from, bytes] = [0, 0]
  for (const [at, submission] of submissions.entries()) {
    const size = bytesOf(submission)
    if (at > from && bytes + size > MAX_PACKED_BYTES) {
      packs.push(packed(submissions.slice(from, at), bytes))
      from = at
      bytes = 0
    }
    bytes += size
  }
  if (from < submissions.length) packs.push(packed(from === 0 ? submissions : submissions.slice(from), bytes))
  return packs
}

function bytesOf({ drafts }: Submission): number {
  let bytes = 0
  for (const { content } of drafts) bytes += content.length
  return bytes
}

function packed(submissions: readonly Submission[], bytes: number): PackedSubmissions {
  const contents = new Uint8Array(bytes)
  let end = 0
  let incidents = 0
  let keyed = false
  const row = (draft: Draft): DraftRow => {
    const { id, source, createdAt, sender, title, service, severity, status, fingerprint, content } = draft
    contents.set(content, end)
    end += content.length
    incidents++
    return [id, source, createdAt, sender, title, service, severity, status, fingerprint, content.length]
  }
  const rows = submissions.map(({ key, overrides, origin, drafts }): SubmissionRow => {
    keyed ||= key !== undefined
    return [key ?? null, overrides ?? null, origin ?? null, drafts.map(row)]
  })
  return { rows: JSON.stringify(rows), contents, submissions: submissions.length, incidents, keyed }
}

/**
 * Returns submissions whose payloads are views of `contents`. Throws when `contents` is longer or shorter than the rows
 * say.
 */
export function unpackSubmissions({
  rows,
  contents,
}: Pick<PackedSubmissions, 'rows'> & { readonly contents: Uint8Array }): Submission[] {
  let end = 0
  const draft = (row: DraftRow): Draft => {
    const [id, source, createdAt, sender, title, service, severity, status, fingerprint, contentBytes] = row
    const content = contents.subarray(end, end + contentBytes)
    end += contentBytes
    return { id, source, createdAt, sender, title, service, severity, status, fingerprint, content }
  }
  const submissions = (JSON.parse(rows) as SubmissionRow[]).map(([key, overrides, origin, drafts]) => ({
    drafts: drafts.map(draft),
    ...(key === null ? {} : { key }),
    ...(overrides === null ? {} : { overrides }),
    ...(origin === null ? {} : { origin }),
  }))
  if (end !== contents.length) throw new Error(`the rows name ${end} bytes of payload, there are ${contents.length}`)
  return submissions
}
