import type { SilenceRecord } from '../../../src/api/noise/silence.ts'
import { Time } from '../../ui/time.tsx'

/** When a silence begins or ends next. */
export function Ends({ of }: { readonly of: SilenceRecord }) {
  const { state, while_text, starts_at, ends_at, ended_at } = of
  if (while_text !== null && state !== 'ended')
    return <>{`${state === 'active' ? 'while' : 'waits until'} ${while_text} fires`}</>
  if (state === 'active' && ends_at === null) return <>no end</>
  const word = { active: 'ends', scheduled: 'begins', ended: 'ended' }[state]
  const at = { active: ends_at, scheduled: starts_at, ended: ended_at ?? ends_at }[state] ?? starts_at
  return <Time before={`${word} `} at={at} as={state === 'active' ? 'age' : 'short'} />
}
