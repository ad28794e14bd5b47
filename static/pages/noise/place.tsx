import type { ChannelRecord } from '../../../src/api/channel.ts'
import type { DestinationRecord } from '../../../src/api/noise/destination.ts'
import type { DigestDetail } from '../../../src/api/noise/digest.ts'
import { destinationName } from '../../../src/domain/delivery.ts'
import { useResource } from '../../api/resource.ts'
import { href } from '../../app/route.ts'
import { refreshClock } from '../../live/stats.ts'
import { headlineOf } from '../../preview/headline.ts'
import { Message } from '../../preview/message.tsx'
import { Card } from '../../ui/card.tsx'
import { State } from '../../ui/chip.tsx'
import { Countdown } from '../../ui/countdown.tsx'
import { LoadingLines } from '../../ui/empty.tsx'
import { Fact } from '../../ui/figure.tsx'
import { Meter } from '../../ui/meter.tsx'
import { count, plural, rate } from '../../ui/numbers.ts'
import { span } from '../../ui/time.tsx'
import { arrivalsPerMinute } from './arrivals.ts'

interface PlaceProps {
  readonly channel: ChannelRecord
  readonly of: DestinationRecord
}

/** A calm destination: how near it is to a storm. */
export function Place({ channel, of }: PlaceProps) {
  const name = destinationName({ channel: channel.name, target: of.target })
  return (
    <Card title={name} class="noise-place" label={name} aside={<State of="calm" />}>
      <dl class="facts">
        <LoadFact name={name} of={of} />
        <Fact name="Arriving">{inflowOf(channel, of)}</Fact>
        <Fact name="Told at the latest">{boundOf(of)}</Fact>
      </dl>
    </Card>
  )
}

/** A destination in a storm, with its digest as the chat shows it. */
export function Storm({ channel, of }: PlaceProps) {
  const name = destinationName({ channel: channel.name, target: of.target })
  const digest = useResource<DigestDetail>(`/api/admin/digests/${of.storm}`, refreshClock)
  const { value } = digest.state.value
  return (
    <section class="card noise-storm" aria-label={name}>
      <header class="card-head">
        <h2>{name}</h2>
        <State of="storm" />
        <a href={href('digests', String(of.storm))}>Digest {of.storm}: every incident and its place</a>
      </header>
      <div class="noise-columns">
        <dl class="facts">
          <Fact name="Next revision">
            {of.untold === 0 || of.next_revision_at === null ? (
              'none: all is told'
            ) : (
              <Countdown at={of.next_revision_at} />
            )}
          </Fact>
          <Fact name="Not told yet">{plural(of.untold, 'incident')}</Fact>
          <Fact name="In the digest">
            {value === undefined ? '–' : `${count(value.folded)} of ${plural(value.problems, 'problem')}`}
          </Fact>
          <Fact name="Arriving">{inflowOf(channel, of)}</Fact>
          <LoadFact name={name} of={of} />
          <Fact name="Told at the latest">{boundOf(of)}</Fact>
        </dl>
        <div class="noise-message">
          {value === undefined ? (
            <LoadingLines lines={5} />
          ) : value.text === null ? (
            <p class="quiet">The first revision is on its way.</p>
          ) : (
            <Message
              channel={channel.name}
              text={value.text}
              subject={headlineOf(value.text)}
              title={headlineOf(value.text)}
              status="firing"
              at={value.posted_at ?? value.opened_at}
            />
          )}
        </div>
      </div>
    </section>
  )
}

const LoadFact = ({ name, of: { load, max_load } }: { readonly name: string; readonly of: DestinationRecord }) => (
  <Fact name="Load">
    {max_load === null ? (
      `${count(load)}, never a digest`
    ) : (
      <Meter label={`load of ${name}`} value={load} max={max_load} text={`${count(load)} of ${count(max_load)}`} />
    )}
  </Fact>
)

function inflowOf({ name, rate: { per_second } }: ChannelRecord, { target, arrived_total }: DestinationRecord): string {
  const arriving =
    arrived_total === null ? undefined : arrivalsPerMinute(destinationName({ channel: name, target }), arrived_total)
  const takes = `it takes ${rate(per_second * 60)}/min`
  return `${arriving === undefined ? '–' : `${rate(arriving)}/min`}, ${takes}`
}

const boundOf = ({ bound_ms }: DestinationRecord) => (bound_ms === null ? 'no bound' : `after ${span(bound_ms)}`)
