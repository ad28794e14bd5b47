import type { SilencePage, SilenceRecord } from '../../../src/api/noise/silence.ts'
import { useResource } from '../../api/resource.ts'
import { href } from '../../app/route.ts'
import type { AttentionItem } from '../../live/attention.ts'
import { minuteClock } from '../../live/stats.ts'
import { span } from '../../ui/time.tsx'

const HOUR_MS = 3_600_000
const UNUSED_MS = 30 * 24 * HOUR_MS

/** Returns the silences that end within the hour, and those that held nothing for 30 days. */
export function useSilenceItems(): readonly AttentionItem[] {
  const silences = useResource<SilencePage>('/api/admin/silences?limit=500', minuteClock)
  const now = Date.now()
  return (silences.state.value.value?.silences ?? [])
    .filter(({ state }) => state !== 'ended')
    .flatMap((silence) => [...endingItem(silence, now), ...unusedItem(silence, now)])
}

function endingItem({ id, name, state, schedule, ends_at, held }: SilenceRecord, now: number): AttentionItem[] {
  const leftMs = Date.parse(ends_at ?? '') - now
  if (state !== 'active' || schedule !== null || !(leftMs > 0 && leftMs < HOUR_MS)) return []
  const firing = held?.firing ?? 0
  const text =
    firing === 0 ? 'Nothing that it holds fires.' : `It holds ${firing} that fire: told then, unless it is extended.`
  return [{ tone: 'warn', title: `Silence ${name} ends in ${span(leftMs)}`, text, href: href('silences', String(id)) }]
}

function unusedItem({ id, name, created_at, last_held_at, while_text }: SilenceRecord, now: number): AttentionItem[] {
  // One with a cause waits for what is rare.
  if (while_text !== null || now - Date.parse(last_held_at ?? created_at) < UNUSED_MS) return []
  const text = 'Is it needed? A forgotten silence hides what comes next.'
  return [{ tone: 'warn', title: `Silence ${name} held nothing for 30 days`, text, href: href('silences', String(id)) }]
}
