import { useSignal } from '@preact/signals'
import type { ChannelRecord, TestMessageAnswer } from '../../../src/api/channel.ts'
import type { ChannelName } from '../../../src/domain/delivery/delivery.ts'
import { post } from '../../api/client.ts'
import { useActions } from '../../app/actions.ts'
import { href } from '../../app/route.ts'
import { Card } from '../../ui/card.tsx'
import { Fact } from '../../ui/charts/figure.tsx'
import { Meter } from '../../ui/charts/meter.tsx'
import { count, latency, plural } from '../../ui/charts/numbers.ts'
import { State } from '../../ui/chip.tsx'
import { Button, Choose } from '../../ui/field.tsx'
import { span, Time } from '../../ui/time.tsx'

interface ChannelCardProps {
  readonly channel: ChannelRecord
  changed(): void
}

export function ChannelCard({ channel, changed }: ChannelCardProps) {
  const { name, mailbox, counters, backlog, last_error, last_sent_at, dead, receiver } = channel
  return (
    <Card title={name} class="channel-card stack gap-3" label={name} aside={<State of={healthOf(channel)} />}>
      <dl class="facts">
        <Fact name="Sent">
          {count(counters.sent)}
          {last_sent_at && (
            <span class="quiet">
              , last <Time at={last_sent_at} as="age" />
            </span>
          )}
        </Fact>
        <Fact name="Retried">{count(counters.retried)}</Fact>
        <Fact name="Sent as plain text">{count(counters.rendered_plain)}</Fact>
        <Fact name="Dead letters">
          {dead === 0 ? '0' : <a href={href('channels', 'dead', { channel: name })}>{count(dead)}</a>}
        </Fact>
        <Fact name="Backlog">
          {plural(backlog.pending, 'pending', 'pending')}, {backlog.sending} sending
          {backlog.oldest_pending_age_ms !== null && backlog.pending > 0 && (
            <span class="quiet">, the oldest has waited {span(backlog.oldest_pending_age_ms)}</span>
          )}
        </Fact>
        <Fact name="Mailbox">
          <Meter label={`mailbox of ${name}`} value={mailbox.depth} max={mailbox.capacity} />
        </Fact>
        {receiver && (
          <Fact name="Answers" wide>
            <State of={receiver.state} /> by {receiver.mode}, since <Time at={receiver.since} />
            {receiver.last_error && <span class="quiet">, last error: {receiver.last_error}</span>}
          </Fact>
        )}
        <Fact name="Limits" wide>
          {limitsOf(channel)}
        </Fact>
      </dl>
      {receiver?.state === 'refused' && <Refused channel={name} />}
      <Circuits of={channel} />
      {last_error && (
        <div class="channel-error stack gap-1 small">
          <h3>
            Last error, <Time at={last_error.at} as="age" />
          </h3>
          <p class="mono break">{last_error.detail}</p>
          {last_error.incident_id && <a href={href('incidents', last_error.incident_id)}>Open the incident</a>}
        </div>
      )}
      <ChannelActions channel={channel} changed={changed} />
    </Card>
  )
}

function healthOf({ paused, circuit, enabled }: ChannelRecord): string {
  if (!enabled) return 'disabled'
  if (paused) return 'paused'
  if (circuit.some(({ state }) => state === 'open')) return 'failing'
  return circuit.some(({ state }) => state === 'half_open') ? 'half_open' : 'healthy'
}

const UNITS: { readonly [unit: string]: string } = {
  utf16: 'characters',
  visible: 'visible characters',
  'json-bytes': 'bytes',
}

const limitsOf = ({ rate, concurrency, limits }: ChannelRecord) =>
  `${rate.per_second}/s, bursts of ${rate.burst}, ${concurrency} in parallel, ${count(limits.max)} ${UNITS[limits.unit] ?? limits.unit}`

function Circuits({ of }: { readonly of: ChannelRecord }) {
  const broken = of.circuit.filter(({ state }) => state !== 'closed')
  if (broken.length === 0) return null
  return (
    <ul class="stack gap-1 small">
      {broken.map(({ destination, state, retry_at }) => (
        <li key={destination}>
          <State of={state} /> circuit to {destination}
          {retry_at && (
            <span class="quiet">
              , next attempt <Time at={retry_at} as="age" />
            </span>
          )}
        </li>
      ))}
    </ul>
  )
}

/** Longer than usual: the answer waits for the provider. */
const TEST_MESSAGE_TIMEOUT_MS = 60_000

function ChannelActions({ channel: { name, paused, targets }, changed }: ChannelCardProps) {
  const { busy, run } = useActions(changed)
  const target = useSignal('')
  const test = async () => {
    const body = target.value === '' ? {} : { target: target.value }
    const { ok, detail, duration_ms } = await post<TestMessageAnswer>(
      `/api/admin/channels/${name}/test`,
      body,
      TEST_MESSAGE_TIMEOUT_MS,
    )
    if (!ok) throw new Error(`${name} refused the test message: ${detail}`)
    return `${name} accepted the test message within ${latency(duration_ms)}`
  }
  const move = async (action: 'pause' | 'resume') => {
    await post(`/api/admin/channels/${name}/${action}`)
    return action === 'pause' ? `${name} is paused. New deliveries wait on disk` : `${name} delivers again`
  }
  return (
    <div class="actions">
      <Button icon="send" busy={busy('test')} onPress={() => run('test', test)}>
        Send a test
      </Button>
      {targets.length > 0 && <Choose label="to" of={target} options={[['', 'the default'], ...targets]} />}
      {paused ? (
        <Button icon="play" primary busy={busy('resume')} onPress={() => run('resume', () => move('resume'))}>
          Resume
        </Button>
      ) : (
        <Button
          icon="pause"
          busy={busy('pause')}
          title="New deliveries wait on disk"
          onPress={() => run('pause', () => move('pause'))}
        >
          Pause
        </Button>
      )}
    </div>
  )
}

/** What to look at while the provider refuses the way back of presses. */
const REMEDIES: { readonly [name in ChannelName]?: string } = {
  chatws:
    'Look at token and answers.app_token: the app token begins with xapp- and has the scope connections:write, Socket Mode is on, and neither is revoked.',
  msgapp: 'Look at token, and whether another program polls this bot or has set its webhook: a bot has one of them.',
}

/** Says what to do. */
const Refused = ({ channel }: { readonly channel: ChannelName }) => (
  <div class="channel-error stack gap-1 small" role="status">
    <h3>People cannot answer from its messages</h3>
    <p>{REMEDIES[channel] ?? 'Look at the credentials of the channel.'}</p>
    <p>It is tried again within five minutes, and at once when the configuration is loaded anew.</p>
  </div>
)
