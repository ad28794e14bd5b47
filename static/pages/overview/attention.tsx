import type { SilencePage, SilenceRecord } from '../../../src/api/noise/silence.ts'
import { useResource } from '../../api/resource.ts'
import { href } from '../../app/route.ts'
import { type AttentionItem, attention } from '../../live/attention.ts'
import { minuteClock } from '../../live/stats.ts'
import { Icon } from '../../ui/icon.tsx'
import { span } from '../../ui/time.tsx'
import { useGapItems } from './oncall.tsx'

/** The list of open problems, or a line that there is none. */
export function Attention() {
  const concerns = [...attention.value, ...useGapItems(), ...useSilenceItems()]
  if (concerns.length === 0) {
    return (
      <section class="all-clear" aria-label="Attention">
        <Icon name="check" size={20} />
        <p>
          <strong>Nothing needs attention.</strong> All channels deliver, and all incidents are acknowledged.
        </p>
      </section>
    )
  }
  return (
    <section aria-label="Attention">
      <ul class="stack gap-2">
        {concerns.map(({ tone, title, text, href }) => (
          <li key={title}>
            <a class={`attention-item attention-${tone}`} href={href}>
              <Icon name={tone === 'bad' ? 'cross' : 'triangle'} size={20} />
              <span class="attention-title">{title}</span>
              <span class="attention-text">{text}</span>
              <Icon name="right" />
            </a>
          </li>
        ))}
      </ul>
    </section>
  )
}

const HOUR_MS = 3_600_000
const UNUSED_MS = 30 * 24 * HOUR_MS

/** Returns the silences that end within the hour, and those that held nothing for 30 days. */
function useSilenceItems(): readonly AttentionItem[] {
  const silences = useResource<SilencePage>('/api/admin/silences?limit=500', minuteClock)
  const now = Date.now()
  return (silences.value?.silences ?? [])
    .filter(({ state }) => state !== 'ended')
    .flatMap((silence) => [...endingItem(silence, now), ...unusedItem(silence, now)])
}

function endingItem({ id, name, state, schedule, ends_at, held }: SilenceRecord, now: number): AttentionItem[] {
  const leftMs = Date.parse(ends_at ?? '') - now
  if (state !== 'active' || schedule !== null || !(leftMs > 0 && leftMs < HOUR_MS)) return []
  const firing = held?.firing ?? 0
  const text =
    firing === 0 ? 'Nothing that it holds fires.' : `It holds ${firing} that fire: sent then, unless it is extended.`
  return [{ tone: 'warn', title: `Silence ${name} ends in ${span(leftMs)}`, text, href: href('silences', String(id)) }]
}

function unusedItem({ id, name, created_at, last_held_at, while_text }: SilenceRecord, now: number): AttentionItem[] {
  // One with a cause waits for what is rare.
  if (while_text !== null || now - Date.parse(last_held_at ?? created_at) < UNUSED_MS) return []
  const text = 'Is it needed? A forgotten silence hides what comes next.'
  return [{ tone: 'warn', title: `Silence ${name} held nothing for 30 days`, text, href: href('silences', String(id)) }]
}
