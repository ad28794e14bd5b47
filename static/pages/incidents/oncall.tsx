import type { OncallDetail } from '../../../src/api/oncall/oncall.ts'
import { Card } from '../../ui/card.tsx'
import { Fact } from '../../ui/charts/figure.tsx'
import { State } from '../../ui/chip.tsx'
import { span, Time } from '../../ui/time.tsx'
import { Attempts } from './attempts.tsx'

/** The on-call state of an incident, with the attempts to page. */
export function OnCallCard({ of }: { readonly of: OncallDetail }) {
  return (
    <Card title="On call" aside={<State of={of.state} />}>
      <dl class="facts">
        {of.provider !== null && <Fact name="Provider">{of.provider}</Fact>}
        {of.due_at && of.state !== 'joined' && (
          <Fact name={of.paged_at ? 'Was due' : 'Pages'}>
            <Time at={of.due_at} /> (<Time at={of.due_at} as="age" />)
          </Fact>
        )}
        {of.paged_at && (
          <Fact name="Paged">
            <Time at={of.paged_at} /> {(of.late_ms ?? 0) > 1_000 && `, ${span(of.late_ms ?? 0)} late`}
          </Fact>
        )}
        {of.dedup_key && (
          <Fact name="Dedup key">
            <code class="break">{of.dedup_key}</code>
          </Fact>
        )}
      </dl>
      {of.attempts.length > 0 && <Attempts of={of.attempts} label="Attempts to page" />}
    </Card>
  )
}
