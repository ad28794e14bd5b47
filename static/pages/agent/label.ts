import { post } from '../../api/client.ts'
import { attempt } from '../../app/notices.tsx'

/** Tells the agent what a person knows of a pattern. */
export const label = (id: string, body: { readonly verdict?: string; readonly tags?: readonly string[] }) =>
  attempt(
    () => post(`/api/agent/patterns/${encodeURIComponent(id)}`, body),
    () => (body.verdict === undefined ? 'The tags are kept' : `The pattern is ${body.verdict}`),
  )
