import { useSignal } from '@preact/signals'
import type { IncidentDetail } from '../../../src/api/incident.ts'
import { post } from '../../api/client.ts'
import { usePageKeys } from '../../app/keys.ts'
import { attempt } from '../../app/notices.tsx'
import { NameField, named } from '../../app/person.tsx'
import { href } from '../../app/route.ts'
import { Confirm } from '../../ui/dialog.tsx'
import { Button } from '../../ui/field.tsx'
import { Icon } from '../../ui/icon.tsx'
import { plural } from '../../ui/numbers.ts'

/** Buttons to acknowledge, resolve, silence and send again. */
export function Actions({ of, changed }: { readonly of: IncidentDetail; changed(): void }) {
  const busy = useSignal('')
  const asking = useSignal(false)
  const run = async (name: string, text: string, body?: object) => {
    if (busy.peek() !== '') return
    busy.value = name
    await attempt(
      () => post(`/api/admin/incidents/${encodeURIComponent(of.id)}/${name}`, body),
      () => text,
    )
    busy.value = ''
    changed()
  }
  const resolved = of.status === 'resolved'
  const open = !resolved && of.acked_at === null
  const acknowledge = () => void (open && run('ack', 'Acknowledged', named()))
  usePageKeys([{ key: 'a', description: 'Acknowledge this incident', run: acknowledge }])
  const channels = of.channels_enabled.length
  return (
    <div class="actions">
      {open && (
        <Button icon="person" primary busy={busy.value === 'ack'} onPress={acknowledge}>
          Acknowledge
        </Button>
      )}
      {!resolved && (
        <Button icon="check" busy={busy.value === 'resolve'} onPress={() => void run('resolve', 'Resolved')}>
          Resolve
        </Button>
      )}
      <Button icon="send" busy={busy.value === 'resend'} onPress={() => (asking.value = true)}>
        Send again
      </Button>
      {!resolved && (
        <a class="button" href={href('silences', 'new', { service: of.service, fingerprint: of.fingerprint })}>
          <Icon name="silences" />
          Silence this
        </a>
      )}
      {open && <NameField />}
      {asking.value && (
        <Confirm
          title="Send this incident again?"
          action="Send again"
          confirm={() => void run('resend', 'The incident is being sent again')}
          close={() => (asking.value = false)}
        >
          <p>Each enabled channel gets the message once more. It was for {plural(channels, 'channel')} before.</p>
        </Confirm>
      )}
    </div>
  )
}
