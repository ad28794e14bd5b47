import type { IncidentDetail } from '../../../src/api/incident.ts'
import { post } from '../../api/client.ts'
import { useActions } from '../../app/actions.ts'
import { usePageKeys } from '../../app/keys.ts'
import { NameField, named } from '../../app/person.tsx'
import { href } from '../../app/route.ts'
import { plural } from '../../ui/charts/numbers.ts'
import { ConfirmButton } from '../../ui/dialog.tsx'
import { Button } from '../../ui/field.tsx'
import { Icon } from '../../ui/icon.tsx'

/** Buttons to acknowledge, resolve, silence and send again. */
export function Actions({ of, changed }: { readonly of: IncidentDetail; changed(): void }) {
  const { busy, run } = useActions(changed)
  const act = (name: string, text: string, body?: object) =>
    run(name, () => post(`/api/admin/incidents/${encodeURIComponent(of.id)}/${name}`, body).then(() => text))
  const resolved = of.status === 'resolved'
  const open = !resolved && of.acked_at === null
  const acknowledge = () => open && act('ack', 'Acknowledged', named())
  usePageKeys([{ key: 'a', description: 'Acknowledge this incident', run: acknowledge }])
  const channels = of.channels_enabled.length
  return (
    <div class="actions">
      {open && (
        <Button icon="person" primary busy={busy('ack')} onPress={acknowledge}>
          Acknowledge
        </Button>
      )}
      {!resolved && (
        <Button icon="check" busy={busy('resolve')} onPress={() => act('resolve', 'Resolved')}>
          Resolve
        </Button>
      )}
      <ConfirmButton
        icon="send"
        busy={busy('resend')}
        ask="Send this incident again?"
        action="Send again"
        text={`Each enabled channel gets the message once more. It was for ${plural(channels, 'channel')} before.`}
        confirm={() => act('resend', 'The incident is being sent again')}
      >
        Send again
      </ConfirmButton>
      {!resolved && <SilenceLink text="Silence this" of={{ service: of.service, fingerprint: of.fingerprint }} />}
      {!resolved && of.problem !== null && (
        <SilenceLink text="Silence until resolved" of={{ problem: String(of.problem), until: 'resolved' }} />
      )}
      {open && <NameField />}
    </div>
  )
}

interface SilenceLinkProps {
  readonly text: string
  /** What the form for a new silence is filled with. */
  readonly of: { readonly [name: string]: string }
}

export const SilenceLink = ({ text, of }: SilenceLinkProps) => (
  <a class="button" href={href('silences', 'new', of)}>
    <Icon name="silences" />
    {text}
  </a>
)
