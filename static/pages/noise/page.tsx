import type { ChannelList, ChannelRecord } from '../../../src/api/channel.ts'
import type { DestinationRecord } from '../../../src/api/noise/destination.ts'
import type { DigestPage, DigestRecord } from '../../../src/api/noise/digest.ts'
import { destinationName } from '../../../src/domain/delivery/delivery.ts'
import { useResource } from '../../api/resource.ts'
import { href } from '../../app/route.ts'
import { refreshClock } from '../../live/stats.ts'
import { Card } from '../../ui/card.tsx'
import { count, plural } from '../../ui/charts/numbers.ts'
import { State } from '../../ui/chip.tsx'
import { Empty, Pending } from '../../ui/empty.tsx'
import { Page } from '../../ui/page.tsx'
import { Table } from '../../ui/table.tsx'
import { span, Time } from '../../ui/time.tsx'
import { Place, Storm } from './place.tsx'

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
    <Card title="Digests" aside={<p class="quiet">One message for what no message of its own could tell in time</p>}>
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
    columns={[
      'Digest',
      'Destination',
      'State',
      { number: 'Incidents' },
      { number: 'Problems' },
      { number: 'Updates' },
      'Opened',
      'Lasted',
    ]}
  >
    {rows.map(
      ({ number, kind, channel, target, state, incidents, notified, problems, update, opened_at, closed_at }) => (
        <tr key={number}>
          <th scope="row">
            <a class="noise-digest" href={href('digests', String(number))}>
              {kind === 'group' ? 'Group' : 'Digest'} {number}
            </a>
          </th>
          <td>{destinationName({ channel, target })}</td>
          <td>
            <State of={state === 'open' && kind === 'group' ? 'open' : STATES[state]} />
          </td>
          <td class="number" title={`${count(notified)} notified`}>
            {count(incidents)}
          </td>
          <td class="number">{count(problems)}</td>
          <td class="number">{count(update)}</td>
          <td>
            <Time at={opened_at} />
          </td>
          <td>{closed_at === null ? 'still open' : span(Date.parse(closed_at) - Date.parse(opened_at))}</td>
        </tr>
      ),
    )}
  </Table>
)

const STATES = { open: 'storm', closed: 'over', dead: 'dead' } as const
