import type { ChannelList } from '../../../src/api/channel.ts'
import { useResource } from '../../api/resource.ts'
import { href, navigate, route } from '../../app/route.ts'
import { dataVersion, refreshClock, stats } from '../../live/stats.ts'
import { Pending } from '../../ui/empty.tsx'
import { Page } from '../../ui/page.tsx'
import { Tabs } from '../../ui/tabs.tsx'
import { ChannelCard } from './card.tsx'
import { DeadLetters } from './dead.tsx'

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
