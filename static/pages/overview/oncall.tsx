import type { OncallOverview, OncallSchedule } from '../../../src/api/oncall/schedules.ts'
import { useResource } from '../../api/resource.ts'
import { href } from '../../app/route.ts'
import type { AttentionItem } from '../../live/attention.ts'
import { minuteClock } from '../../live/stats.ts'
import { Card } from '../../ui/card.tsx'
import { span, Time } from '../../ui/time.tsx'
import { nameOf } from '../oncall/page.tsx'

const WEEK_MS = 7 * 86_400_000

const useOncall = () => useResource<OncallOverview>('/api/admin/oncall', minuteClock).value?.schedules ?? []

/** Who is on call now; nothing without schedules. */
export function OnCallNow() {
  const schedules = useOncall()
  if (schedules.length === 0) return null
  return (
    <Card title="On call now" aside={<a href={href('oncall')}>Calendar and overrides</a>}>
      <ul class="oncall-names small">
        {schedules.map(({ name, now }) => (
          <li key={name}>
            <span class="quiet cut">{name}</span>
            <strong class="cut">{nameOf(now)}</strong>
            <span class="quiet">{now.until === null ? 'for good' : <Time before="until " at={now.until} />}</span>
          </li>
        ))}
      </ul>
    </Card>
  )
}

/** Returns the gaps of the next seven days, of schedules whose gaps are not allowed. */
export const useGapItems = (): readonly AttentionItem[] =>
  useOncall().flatMap((schedule) => gapItem(schedule, Date.now()))

function gapItem({ name, gaps, now: { person }, first_gap }: OncallSchedule, now: number): AttentionItem[] {
  if (gaps === 'allowed' || first_gap === null) return []
  const inMs = Date.parse(first_gap.from) - now
  if (inMs > WEEK_MS) return []
  const title = person === null ? `Nobody is on call for ${name}` : `Nobody is on call for ${name} in ${span(inMs)}`
  const text = 'An override puts a person on call; the configuration closes the gap for good.'
  return [{ tone: person === null ? 'bad' : 'warn', title, text, href: href('oncall') }]
}
