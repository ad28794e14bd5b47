import type { Draft, Submission } from './commit.ts'
import type { Overrides, Sender, Source, Status } from './incident.ts'
import type { TopicOrigin } from './topic.ts'

/**
 * Submissions as one text and one buffer: a thread boundary copies the text at once and transfers the buffer, where an object graph would
 * be walked and rebuilt field by field on both sides.
 */
export interface PackedSubmissions {
  /** JSON of `SubmissionRow[]`. */
  readonly rows: string
  /** All contents, one after the other, in the order of the rows; owns its whole buffer. */
  readonly contents: Uint8Array<ArrayBuffer>
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

export function packSubmissions(submissions: readonly Submission[]): PackedSubmissions {
  let size = 0
  for (const { drafts } of submissions) for (const { content } of drafts) size += content.length
  const contents = new Uint8Array(size)
  let end = 0
  const row = (draft: Draft): DraftRow => {
    const { id, source, createdAt, sender, title, service, severity, status, fingerprint, content } = draft
    contents.set(content, end)
    end += content.length
    return [id, source, createdAt, sender, title, service, severity, status, fingerprint, content.length]
  }
  const rows = submissions.map(
    ({ key, overrides, origin, drafts }): SubmissionRow => [
      key ?? null,
      overrides ?? null,
      origin ?? null,
      drafts.map(row),
    ],
  )
  return { rows: JSON.stringify(rows), contents }
}

/** The contents of the drafts are views of the packed ones. */
export function unpackSubmissions({ rows, contents }: PackedSubmissions): Submission[] {
  let end = 0
  const draft = (row: DraftRow): Draft => {
    const [id, source, createdAt, sender, title, service, severity, status, fingerprint, contentBytes] = row
    const content = contents.subarray(end, end + contentBytes)
    end += contentBytes
    return { id, source, createdAt, sender, title, service, severity, status, fingerprint, content }
  }
  return (JSON.parse(rows) as SubmissionRow[]).map(([key, overrides, origin, drafts]) => ({
    drafts: drafts.map(draft),
    ...(key === null ? {} : { key }),
    ...(overrides === null ? {} : { overrides }),
    ...(origin === null ? {} : { origin }),
  }))
}
