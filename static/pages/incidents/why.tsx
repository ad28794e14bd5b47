import type { Explanation } from '../../../src/api/noise/explain.ts'
import { useResource } from '../../api/resource.ts'
import { dataVersion } from '../../live/stats.ts'
import { Card } from '../../ui/card.tsx'
import { Pending } from '../../ui/empty.tsx'
import { Steps } from '../../ui/steps.tsx'

/** Who was notified of the incident, and why, step by step. */
export function Why({ id }: { readonly id: string }) {
  const explanation = useResource<Explanation>(`/api/admin/incidents/${encodeURIComponent(id)}/explain`, dataVersion)
  const { value } = explanation
  return (
    <Card
      title="Who was notified, and why"
      label="Why"
      aside={value?.configuration === 'now' && <p class="quiet">lines of the configuration as it is now</p>}
    >
      {value === undefined ? <Pending of={explanation} lines={6} /> : <Steps of={value.decisions} label="Decisions" />}
    </Card>
  )
}
