import { useSignal } from '@preact/signals'
import type { DeliveryDetail } from '../../../src/api/delivery.ts'
import type { IncidentDetail } from '../../../src/api/incident.ts'
import { destinationName } from '../../../src/domain/delivery/delivery.ts'
import { href } from '../../app/route.ts'
import { Message } from '../../preview/message.tsx'
import { Card } from '../../ui/card.tsx'
import { count, plural } from '../../ui/charts/numbers.ts'
import { Chip, State } from '../../ui/chip.tsx'
import { Empty } from '../../ui/empty.tsx'
import { Tabs } from '../../ui/tabs.tsx'
import { Time } from '../../ui/time.tsx'
import { Attempts } from './attempts.tsx'

/** The deliveries of an incident, one tab for each destination. */
export function Deliveries({ of }: { readonly of: IncidentDetail }) {
  const chosen = useSignal('')
  const { deliveries } = of
  const shown = deliveries.find((delivery) => destinationName(delivery) === chosen.value) ?? worstOf(deliveries)
  if (shown === undefined) {
    return (
      <section class="card">
        <Empty
          icon="channels"
          title="No delivery"
          text="No channel was enabled when the incident arrived. Enable one, then send the incident again."
        />
      </section>
    )
  }
  const name = destinationName(shown)
  return (
    <Card
      title="Deliveries"
      aside={
        <Tabs label="Destinations" tabs={tabsOf(deliveries)} chosen={name} onChoose={(id) => (chosen.value = id)} />
      }
    >
      <DeliveryCard key={name} delivery={shown} of={of} />
    </Card>
  )
}

const tabsOf = (deliveries: readonly DeliveryDetail[]): { readonly [name: string]: string } =>
  Object.fromEntries(
    deliveries.map((delivery) => {
      const name = destinationName(delivery)
      return [name, delivery.state === 'dead' ? `${name} ✕` : name]
    }),
  )

/** Chooses the tab that is open at first: a dead delivery, else an unfinished one, else the first. */
function worstOf(deliveries: readonly DeliveryDetail[]): DeliveryDetail | undefined {
  return (
    deliveries.find(({ state }) => state === 'dead') ??
    deliveries.find(({ state }) => state === 'pending' || state === 'sending') ??
    deliveries[0]
  )
}

function DeliveryCard({ delivery, of }: { readonly delivery: DeliveryDetail; readonly of: IncidentDetail }) {
  const { state, target, via, may_duplicate, next_attempt_at, dead_reason, attempts, text, channel } = delivery
  const raw = useSignal(false)
  return (
    <div class="stack gap-4">
      <div class="delivery-facts row small">
        <State of={state} />
        <span>{plural(attempts.length, 'attempt')}</span>
        {via && (
          <span>
            <a href={href('digests', String(via.digest), { place: String(via.place) })}>
              {via.kind === 'storm' ? '' : `${via.kind}, `}digest {via.digest}, place {count(via.place)}
            </a>
            <span class="quiet">
              {via.notified_at === null ? (
                ', not notified yet'
              ) : (
                <>
                  , notified <Time at={via.notified_at} /> by update {via.update}
                </>
              )}
            </span>
          </span>
        )}
        {target && <Chip tone="plain">to {target}</Chip>}
        {may_duplicate && (
          <Chip tone="warn" icon="copy">
            May have been delivered twice
          </Chip>
        )}
        {next_attempt_at && state === 'pending' && (
          <span class="quiet">
            next attempt <Time at={next_attempt_at} as="age" />
          </span>
        )}
      </div>
      {dead_reason && <p class="error-text">Given up: {dead_reason}</p>}
      <div class="delivery-columns">
        <div class="stack gap-2">
          <h3>Attempts</h3>
          {attempts.length === 0 ? (
            <p class="quiet">{via === null ? 'None yet.' : 'The digest is sent, not a message of its own.'}</p>
          ) : (
            <Attempts of={attempts} label={`Attempts of ${destinationName(delivery)}`} />
          )}
        </div>
        {text !== null && (
          <div class="stack gap-2">
            <div class="delivery-look row">
              <h3>{raw.value ? 'Text as sent' : 'Preview'}</h3>
              <button type="button" class="link-button" onClick={() => (raw.value = !raw.value)}>
                {raw.value ? 'Show the preview' : 'Show the text as sent'}
              </button>
              <a href={href('templates', '', { channel, incident: of.id })}>Open the template</a>
            </div>
            {raw.value ? (
              <pre class="raw">{text}</pre>
            ) : (
              <Message
                channel={channel}
                text={text}
                title={of.title}
                status={of.reported_status}
                at={of.created_at}
                acknowledgeable={of.oncall !== null && of.reported_status === 'firing'}
              />
            )}
          </div>
        )}
      </div>
    </div>
  )
}
