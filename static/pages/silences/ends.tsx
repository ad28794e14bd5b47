import type { SilenceRecord } from '../../../src/api/noise/silence.ts'
import { Time } from '../../ui/time.tsx'

/** When a silence begins or ends next. */
export function Ends({ of }: { readonly of: SilenceRecord }) {
  if (of.state === 'ended')
    return (
      <>
        ended <Time at={of.ended_at ?? of.ends_at ?? of.starts_at} />
      </>
    )
  if (of.while_text !== null)
    return (
      <>
        {of.state === 'active' ? 'while' : 'waits until'} {of.while_text} fires
      </>
    )
  if (of.state === 'scheduled')
    return (
      <>
        begins <Time at={of.starts_at} />
      </>
    )
  return of.ends_at === null ? (
    <>no end</>
  ) : (
    <>
      ends <Time at={of.ends_at} as="age" />
    </>
  )
}
