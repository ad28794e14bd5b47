import type { Draft, Submission } from '../../domain/commit.ts'
import type { Overrides, Sender, Source, Status } from '../../domain/incident.ts'
import type { TopicOrigin } from '../../domain/topic.ts'

/** Submissions as earlier versions stored them: JSON of rows, and the payloads in their order without gaps. */
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

/**
 * Returns submissions whose payloads are views of `contents`; their keys are saved already. Throws when `contents` is
 * longer or shorter than the rows say.
 */
export function readSubmissions(rows: string, contents: Uint8Array): Submission[] {
  let end = 0
  const draft = (row: DraftRow): Draft => {
    const [id, source, createdAt, sender, title, service, severity, status, fingerprint, contentBytes] = row
    const content = contents.subarray(end, end + contentBytes)
    end += contentBytes
    return { id, source, createdAt, sender, title, service, severity, status, fingerprint, content }
  }
  const submissions = (JSON.parse(rows) as SubmissionRow[]).map(([, overrides, origin, drafts]) => ({
    drafts: drafts.map(draft),
    ...(overrides === null ? {} : { overrides }),
    ...(origin === null ? {} : { origin }),
  }))
  if (end !== contents.length) throw new Error(`the rows name ${end} bytes of payload, there are ${contents.length}`)
  return submissions
}
