import type { ChannelList, ChannelRecord } from '../../../src/api/channel.ts'
import type { DestinationRecord } from '../../../src/api/noise/destination.ts'
import type { DigestDetail, DigestPage, DigestRecord } from '../../../src/api/noise/digest.ts'
import { destinationName } from '../../../src/domain/delivery/delivery.ts'
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
import { Empty, LoadingLines, Pending } from '../../ui/empty.tsx'
import { Page } from '../../ui/page.tsx'
import { Table } from '../../ui/table.tsx'
import { span, Time } from '../../ui/time.tsx'
import { DigestState, lastedOf } from '../digests/page.tsx'
import { arrivalsPerMinute } from './arrivals.ts'

const SHOWN = 50

/** The destinations of all enabled channels, those in a storm first, and the latest digests. */
export function NoisePage() {
  const channels = useResource<ChannelList>('/api/admin/channels', refreshClock)
  const { value } = channels
  const places = (value?.channels ?? [])
    .filter(({ enabled }) => enabled)
    .flatMap((channel) => channel.destinations.map((of) => ({ name: nameOf(channel, of), channel, of })))
  const storms = places.filter(({ of }) => of.storm !== null)
  const open = storms.length === 0 ? 'No storm' : `${plural(storms.length, 'storm')} open`
  const calm = places.filter(({ of }) => of.storm === null)
  return (
    <Page title="Noise" note={value && `${open}, ${plural(places.length, 'destination')}`}>
      {value === undefined ? (
        <Pending of={channels} lines={6} />
      ) : (
        <>
          {storms.map((place) => (
            <Storm key={place.name} {...place} />
          ))}
          <div class="noise-calm">
            {calm.map((place) => (
              <Place key={place.name} {...place} />
            ))}
          </div>
        </>
      )}
      <Digests />
    </Page>
  )
}

const nameOf = ({ name: channel }: ChannelRecord, { target }: DestinationRecord) => destinationName({ channel, target })

function Digests() {
  const digests = useResource<DigestPage>(`/api/admin/digests?limit=${SHOWN}`, refreshClock)
  const { value } = digests
  return (
    <Card title="Digests" aside={<p class="quiet">One message about many incidents</p>}>
      {value === undefined ? (
        <Pending of={digests} />
      ) : value.digests.length === 0 ? (
        <Empty icon="digests" title="No digest yet" text="Every incident had a message of its own." />
      ) : (
        <DigestTable rows={value.digests} />
      )}
    </Card>
  )
}

const DigestTable = ({ rows }: { readonly rows: readonly DigestRecord[] }) => (
  <Table
    rows={rows}
    id={({ number }) => number}
    columns={[
      ['Digest', digestLink],
      ['Destination', destinationName],
      ['State', (digest) => <DigestState of={digest} />],
      [
        'Incidents',
        ({ incidents }) => count(incidents),
        { number: true, title: ({ notified }) => `${count(notified)} notified` },
      ],
      ['Problems', ({ problems }) => count(problems), { number: true }],
      ['Updates', ({ update }) => count(update), { number: true }],
      ['Opened', ({ opened_at }) => <Time at={opened_at} />],
      ['Lasted', lastedOf],
    ]}
  />
)

const digestLink = ({ number, kind }: DigestRecord) => (
  <a class="noise-digest" href={href('digests', String(number))}>
    {kind === 'group' ? 'Group' : 'Digest'} {number}
  </a>
)

interface PlaceProps {
  /** Name of the destination. */
  readonly name: string
  readonly channel: ChannelRecord
  readonly of: DestinationRecord
}

/** A calm destination: how near it is to a storm. */
const Place = ({ name, channel, of }: PlaceProps) => (
  <Card title={name} class="noise-place" label={name} aside={<State of="calm" />}>
    <dl class="facts">
      <LoadFact name={name} of={of} />
      <Fact name="Arriving">{inflowOf(name, channel, of)}</Fact>
      <Fact name="Notified at the latest">{boundOf(of)}</Fact>
    </dl>
  </Card>
)

/** A destination in a storm, with its digest as the chat shows it. */
function Storm({ name, channel, of }: PlaceProps) {
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
