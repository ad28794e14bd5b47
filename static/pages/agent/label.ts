import { post } from '../../api/client.ts'
import { attempt } from '../../app/notices.tsx'

/** Stores a verdict or tags for a pattern, and shows the result. */
export const label = (id: string, body: { readonly verdict?: string; readonly tags?: readonly string[] }) =>
  attempt(
    () => post(`/api/agent/patterns/${encodeURIComponent(id)}`, body),
    () => (body.verdict === undefined ? 'Tags saved' : `The pattern is ${body.verdict}`),
  )
