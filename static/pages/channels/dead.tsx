import { useSignal } from '@preact/signals'
import { useEffect, useMemo } from 'preact/hooks'
import type { DeliveryRecord } from '../../../src/api/delivery.ts'
import { CHANNEL_NAMES, destinationName } from '../../../src/domain/delivery.ts'
import { attempt } from '../../app/notices.tsx'
import { href, replaceUrl } from '../../app/route.ts'
import { dataVersion } from '../../live/stats.ts'
import { Confirm } from '../../ui/dialog.tsx'
import { Empty, ErrorPanel, LoadingLines } from '../../ui/empty.tsx'
import { Button, Select } from '../../ui/field.tsx'
import { Icon } from '../../ui/icon.tsx'
import { count, plural } from '../../ui/numbers.ts'
import { DeadList } from './dead-list.ts'
import { progress, replay } from './replay.ts'

/** The list of dead letters, with buttons to replay them. */
export function DeadLetters({ channel }: { readonly channel: string }) {
  const list = useMemo(() => new DeadList(channel), [channel])
  const asking = useSignal(false)
  useEffect(() => dataVersion.subscribe(() => void list.refresh()), [list])
  const rows = list.rows.value
  const run = (filter: { channel?: string; id?: string }) =>
    attempt(
      () => replay(filter),
      (replayed) => `${plural(replayed, 'dead letter')} will be sent again`,
    ).then(() => list.refresh())
  return (
    <>
      <div class="bar">
        <Select
          label="Channel"
          value={channel}
          options={[['', 'all'] as const, ...CHANNEL_NAMES.map((name) => [name, name] as const)]}
          onChoose={(next) => replaceUrl(href('channels', 'dead', { channel: next }))}
        />
        {rows !== undefined && rows.length > 0 && (
          <Button icon="again" primary onPress={() => (asking.value = true)}>
            Replay {channel === '' ? 'all' : `all of ${channel}`}
          </Button>
        )}
      </div>
      <ReplayProgress />
      {rows === undefined ? (
        list.error.value ? (
          <ErrorPanel error={list.error.value} onRetry={() => void list.refresh()} />
        ) : (
          <LoadingLines />
        )
      ) : rows.length === 0 ? (
        <Empty icon="check" title="No dead letter">
          <p>No delivery has failed for good.</p>
        </Empty>
      ) : (
        <DeadTable
          rows={rows}
          list={list}
          replayOne={(row) => void run({ channel: row.channel, id: row.incident_id })}
        />
      )}
      {asking.value && (
        <Confirm
          title="Replay dead letters?"
          action="Replay"
          confirm={() => void run(channel === '' ? {} : { channel })}
          close={() => (asking.value = false)}
        >
          <p>
            All dead letters{channel !== '' && ` of ${channel}`} are sent again, oldest first, with new attempts. Fix
            the cause first, or they fail again.
          </p>
        </Confirm>
      )}
    </>
  )
}

function ReplayProgress() {
  const { value } = progress
  if (value === undefined) return null
  const { total, left, dead } = value
  return (
    <div class="progress" role="status">
      <progress max={total} value={total - left} aria-label="Replayed" />
      <span>
        {left > 0
          ? `${count(total - left)} of ${plural(total, 'dead letter')} replayed`
          : `All ${count(total)} replayed`}
        {dead > 0 && `, ${count(dead)} failed again`}
      </span>
      <button type="button" class="plain-button" aria-label="Dismiss" onClick={() => (progress.value = undefined)}>
        <Icon name="close" />
      </button>
    </div>
  )
}

interface DeadTableProps {
  readonly rows: readonly DeliveryRecord[]
  readonly list: DeadList
  replayOne(row: DeliveryRecord): void
}

function DeadTable({ rows, list, replayOne }: DeadTableProps) {
  return (
    <section class="card">
      <ul class="dead-list">
        {rows.map((row) => (
          <li key={`${row.incident_id} ${destinationName(row)}`} class="dead-row">
            <div class="dead-title">
              <a class="cut" href={href('incidents', row.incident_id)}>
                {row.title}
              </a>
              <p class="quiet">
                {row.channel}
                {row.target && ` to ${row.target}`}, {plural(row.attempts, 'attempt')}
              </p>
            </div>
            <p class="mono break dead-reason">{row.dead_reason}</p>
            <Button icon="again" onPress={() => replayOne(row)}>
              Replay<span class="hidden-text"> {row.title}</span>
            </Button>
          </li>
        ))}
      </ul>
      {list.more.value && (
        <button type="button" class="link-button" onClick={() => void list.next()}>
          Show more
        </button>
      )}
    </section>
  )
}
