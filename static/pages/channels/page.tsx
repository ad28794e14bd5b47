import { useEffect, useMemo } from 'preact/hooks'
import type { ChannelList } from '../../../src/api/channel.ts'
import type { DeliveryPage, DeliveryRecord } from '../../../src/api/delivery.ts'
import { CHANNEL_NAMES, destinationName } from '../../../src/domain/delivery/delivery.ts'
import { get } from '../../api/client.ts'
import { Resource, useResource } from '../../api/resource.ts'
import { attempt } from '../../app/notices.tsx'
import { href, navigate, replaceUrl, route } from '../../app/route.ts'
import { dataVersion, refreshClock, stats } from '../../live/stats.ts'
import { count, plural } from '../../ui/charts/numbers.ts'
import { ConfirmButton } from '../../ui/dialog.tsx'
import { Empty, Pending } from '../../ui/empty.tsx'
import { Button, MoreButton, Select } from '../../ui/field.tsx'
import { Page } from '../../ui/page.tsx'
import { Tabs } from '../../ui/tabs.tsx'
import { ChannelCard } from './card.tsx'
import { type DeadFilter, progress, replay } from './replay.ts'

/** The health of the channels, and their dead letters. */
export function ChannelsPage() {
  const { rest, query } = route.value
  const dead = rest === 'dead'
  return (
    <Page
      title="Channels"
      aside={
        <Tabs
          label="Views"
          tabs={{ health: 'Health', dead: 'Dead letters' }}
          counts={{ dead: stats.value?.attention.dead ?? 0 }}
          chosen={dead ? 'dead' : 'health'}
          onChoose={(id) => navigate(href('channels', id === 'dead' ? 'dead' : ''))}
        />
      }
    >
      {dead ? <DeadLetters channel={query.get('channel') ?? ''} /> : <Health />}
    </Page>
  )
}

function Health() {
  const channels = useResource<ChannelList>('/api/admin/channels', refreshClock)
  const { value } = channels
  dataVersion.value
  if (value === undefined) return <Pending of={channels} lines={6} />
  const changed = () => void channels.load()
  const enabled = value.channels.filter((channel) => channel.enabled)
  const disabled = value.channels.filter((channel) => !channel.enabled)
  return (
    <>
      <div class="channel-cards">
        {enabled.map((channel) => (
          <ChannelCard key={channel.name} channel={channel} changed={changed} />
        ))}
      </div>
      {disabled.length > 0 && (
        <p class="quiet small">
          Not enabled: {disabled.map(({ name }) => name).join(', ')}. To use a channel, set{' '}
          <code>alert.&lt;channel&gt;.enable</code>.
        </p>
      )}
    </>
  )
}

/** The list of dead letters, with buttons to replay them. */
function DeadLetters({ channel }: { readonly channel: string }) {
  const { list, hasMore, more } = useMemo(() => openDeadList(channel), [channel])
  useEffect(() => dataVersion.subscribe(() => void list.load()), [list])
  const rows = list.value?.deliveries
  const ofChannel = channel === '' ? '' : ` of ${channel}`
  const run = (filter: DeadFilter) =>
    attempt(
      () => replay(filter),
      (replayed) => `${plural(replayed, 'dead letter')} will be sent again`,
    ).then(() => list.load())
  return (
    <>
      <div class="bar row">
        <Select
          label="Channel"
          value={channel}
          options={[['', 'all'], ...CHANNEL_NAMES]}
          onChoose={(next) => replaceUrl(href('channels', 'dead', { channel: next }))}
        />
        {rows !== undefined && rows.length > 0 && (
          <ConfirmButton
            icon="again"
            primary
            ask="Replay dead letters?"
            action="Replay"
            text={`All dead letters${ofChannel} are sent again, oldest first, with new attempts. Fix the cause first, or they fail again.`}
            confirm={() => void run(channel === '' ? {} : { channel })}
          >
            {`Replay all${ofChannel}`}
          </ConfirmButton>
        )}
      </div>
      <ReplayProgress />
      {rows === undefined ? (
        <Pending of={list} />
      ) : rows.length === 0 ? (
        <Empty icon="check" title="No dead letter" text="No delivery has failed for good." />
      ) : (
        <section class="card">
          <ul class="dead-list">
            {rows.map((row) => (
              <DeadRow
                key={`${row.incident_id} ${destinationName(row)}`}
                of={row}
                replay={() => void run({ channel: row.channel, id: row.incident_id, target: row.target })}
              />
            ))}
          </ul>
          {hasMore() && <MoreButton onPress={more} />}
        </section>
      )}
    </>
  )
}

function ReplayProgress() {
  const { value } = progress
  if (value === undefined) return null
  const { total, left, dead } = value
  return (
    <div class="progress row small" role="status">
      <progress max={total} value={total - left} aria-label="Replayed" />
      <span>
        {left > 0
          ? `${count(total - left)} of ${plural(total, 'dead letter')} replayed`
          : `All ${count(total)} replayed`}
        {dead > 0 && `, ${count(dead)} failed again`}
      </span>
      <Button look="plain" icon="close" name="Dismiss" onPress={() => (progress.value = undefined)} />
    </div>
  )
}

const DeadRow = ({ of, replay }: { readonly of: DeliveryRecord; replay(): void }) => (
  <li class="dead-row lined">
    <div class="dead-title stack">
      <a class="cut" href={href('incidents', of.incident_id)}>
        {of.title}
      </a>
      <p class="quiet">
        {of.channel}
        {of.target && ` to ${of.target}`}, {plural(of.attempts, 'attempt')}
      </p>
    </div>
    <p class="mono break dead-reason">{of.dead_reason}</p>
    <Button icon="again" onPress={replay}>
      Replay<span class="hidden-text"> {of.title}</span>
    </Button>
  </li>
)

const PAGE = 50
const MAX_ROWS = 500

/** Opens the list of the dead letters of one channel, or of all with '', those of the newest incidents first. */
function openDeadList(channel: string) {
  let limit = PAGE
  const query = channel === '' ? '' : `&channel=${channel}`
  const list = new Resource(() => get<DeliveryPage>(`/api/admin/deliveries?state=dead&limit=${limit}${query}`))
  return {
    list,
    /** Returns true when older ones exist and can be shown. */
    hasMore: () => list.value?.next_cursor !== null && limit < MAX_ROWS,
    /** Shows three times as many, at most 500. Older ones are counted, and replayed with the others, but not listed. */
    more() {
      limit = Math.min(MAX_ROWS, limit * 3)
      void list.load()
    },
  }
}
