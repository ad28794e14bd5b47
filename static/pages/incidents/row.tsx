import type { IncidentRecord } from '../../../src/api/incident.ts'
import type { RowProps } from '../../list/list-page.tsx'
import { ListRow } from '../../list/row-list.tsx'
import { Chip, State } from '../../ui/chip.tsx'
import { Severity } from '../../ui/severity.tsx'
import { Time } from '../../ui/time.tsx'

export const Row = ({ of, href, place }: RowProps<IncidentRecord>) => (
  <ListRow place={place} href={href} class={`incident-row row-link ${place.flat ? 'incident-flat' : ''}`}>
    <Severity severity={of.severity} short={!place.flat} />
    <span class="incident-title cut">{of.title}</span>
    <span class="incident-service cut">{of.service || <span class="quiet">no service</span>}</span>
    <span class="incident-state">
      <IncidentState of={of} />
    </span>
    <span class="incident-notify">{(place.flat || of.notify_status !== 'sent') && <NotifyStatus of={of} />}</span>
    <span class="incident-time quiet end">
      <Time at={of.created_at} />
    </span>
  </ListRow>
)

/** The state of an incident or a problem: firing, acknowledged or resolved. */
export function IncidentState({ of }: { readonly of: Pick<IncidentRecord, 'status' | 'acked_at' | 'acked_by'> }) {
  if (of.status === 'resolved') return <State of="resolved" />
  if (of.acked_at === null) return <State of="firing" />
  return (
    <Chip tone="info" icon="person" {...(of.acked_by && { title: `by ${of.acked_by}` })}>
      Acknowledged
    </Chip>
  )
}

/** The state of the deliveries of an incident. */
export function NotifyStatus({ of }: { readonly of: IncidentRecord }) {
  const { notify_status, notify_error, channels_enabled, channels_notified } = of
  if (channels_enabled.length === 0) return <Chip tone="plain">No channel</Chip>
  if (notify_status === 'sent') {
    return (
      <Chip tone="plain" icon="check">
        Sent
      </Chip>
    )
  }
  const title = notify_error ?? `${channels_notified.length} of ${channels_enabled.length} channels`
  return <State of={notify_status} title={title} />
}
