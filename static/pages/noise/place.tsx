import type { ChannelRecord } from '../../../src/api/channel.ts'
import type { DestinationRecord } from '../../../src/api/noise/destination.ts'
import type { DigestDetail } from '../../../src/api/noise/digest.ts'
import { useResource } from '../../api/resource.ts'
import { href } from '../../app/route.ts'
import { refreshClock } from '../../live/stats.ts'
import { DigestMessage } from '../../preview/digest.tsx'
import { Card } from '../../ui/card.tsx'
import { Fact } from '../../ui/charts/figure.tsx'
import { Meter } from '../../ui/charts/meter.tsx'
import { count, plural, rate } from '../../ui/charts/numbers.ts'
import { State } from '../../ui/chip.tsx'
import { Countdown } from '../../ui/countdown.tsx'
import { LoadingLines } from '../../ui/empty.tsx'
import { span } from '../../ui/time.tsx'
import { arrivalsPerMinute } from './arrivals.ts'

interface PlaceProps {
  /** Name of the destination. */
  readonly name: string
  readonly channel: ChannelRecord
  readonly of: DestinationRecord
}

/** A calm destination: how near it is to a storm. */
export const Place = ({ name, channel, of }: PlaceProps) => (
  <Card title={name} class="noise-place" label={name} aside={<State of="calm" />}>
    <dl class="facts">
      <LoadFact name={name} of={of} />
      <Fact name="Arriving">{inflowOf(name, channel, of)}</Fact>
      <Fact name="Notified at the latest">{boundOf(of)}</Fact>
    </dl>
  </Card>
)

/** A destination in a storm, with its digest as the chat shows it. */
export function Storm({ name, channel, of }: PlaceProps) {
  const digest = useResource<DigestDetail>(`/api/admin/digests/${of.storm}`, refreshClock)
  const { value } = digest
  return (
    <section class="card noise-storm" aria-label={name}>
      <header class="card-head">
        <h2>{name}</h2>
        <State of="storm" />
        <a href={href('digests', String(of.storm))}>Digest {of.storm}: every incident and its place</a>
      </header>
      <div class="noise-columns">
        <dl class="facts">
          <Fact name="Next update">
            {of.waiting === 0 || of.next_update_at === null ? (
              'none: nothing waits'
            ) : (
              <Countdown at={of.next_update_at} />
            )}
          </Fact>
          <Fact name="Not notified yet">{plural(of.waiting, 'incident')}</Fact>
          <Fact name="In the digest">
            {value === undefined ? '–' : `${count(value.incidents)} of ${plural(value.problems, 'problem')}`}
          </Fact>
          <Fact name="Arriving">{inflowOf(name, channel, of)}</Fact>
          <LoadFact name={name} of={of} />
          <Fact name="Notified at the latest">{boundOf(of)}</Fact>
        </dl>
        <div class="noise-message">
          {value === undefined ? (
            <LoadingLines lines={5} />
          ) : value.text === null ? (
            <p class="quiet">The first update is on its way.</p>
          ) : (
            <DigestMessage of={value} text={value.text} />
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

function inflowOf(name: string, { rate: { per_second } }: ChannelRecord, { arrived_total }: DestinationRecord): string {
  const arriving = arrived_total === null ? undefined : arrivalsPerMinute(name, arrived_total)
  const takes = `it takes ${rate(per_second * 60)}/min`
  return `${arriving === undefined ? '–' : `${rate(arriving)}/min`}, ${takes}`
}

const boundOf = ({ bound_ms }: DestinationRecord) => (bound_ms === null ? 'no bound' : `after ${span(bound_ms)}`)
