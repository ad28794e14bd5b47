import type { ActorStats, Stats, ThreadStats } from '../../../src/api/stats.ts'
import { Meter } from '../../ui/charts/meter.tsx'
import { bytes, count, latency, percent, plural } from '../../ui/charts/numbers.ts'
import { State } from '../../ui/chip.tsx'

/** The threads, each with the mailboxes of its actors. */
export function ActorTable({ now }: { readonly now: Stats }) {
  const threads = new Set([...Object.keys(now.threads), ...Object.values(now.actors).map(({ thread }) => thread)])
  const { storage, memory } = now
  return (
    <section class="card">
      <header class="card-head">
        <h2>Threads and mailboxes</h2>
        <p class="quiet">
          {bytes(memory.rss_bytes)} of memory
          {storage &&
            `, ${plural(storage.incidents, 'incident')} in ${bytes(storage.database_bytes + storage.wal_bytes)} on disk`}
        </p>
      </header>
      <div class="threads">
        {[...threads].map((name) => (
          <Thread key={name} name={name} now={now.threads[name]} actors={actorsOn(now, name)} />
        ))}
      </div>
    </section>
  )
}

const actorsOn = ({ actors }: Stats, thread: string) =>
  Object.entries(actors).filter(([, each]) => each.thread === thread)

interface ThreadProps {
  readonly name: string
  readonly now: ThreadStats | undefined
  readonly actors: readonly (readonly [name: string, now: ActorStats])[]
}

function Thread({ name, now, actors }: ThreadProps) {
  return (
    <section class="thread">
      <header class="line">
        <h3>{name}</h3>
        {now && <State of={now.state} />}
      </header>
      {now && (
        <p class="quiet tiny">
          {now.utilization !== null && `${percent(now.utilization)} busy`}
          {now.lag_ms && `, event loop ${latency(now.lag_ms.p50)} late`}
          {now.restarts > 0 && `, ${plural(now.restarts, 'restart')}`}
        </p>
      )}
      <ul>
        {actors.map(([actor, { depth, capacity, refused, state, restarts }]) => (
          <li key={actor} class="mailbox small">
            <span class="cut" title={actor}>
              {actor}
            </span>
            <Meter label={`mailbox of ${actor}`} value={depth} max={capacity} />
            {(state !== 'up' || restarts > 0 || refused > 0) && (
              <span class="quiet tiny">
                {state !== 'up' && <State of={state} />}
                {[restarts > 0 && plural(restarts, 'restart'), refused > 0 && `${count(refused)} refused`]
                  .filter((each) => each !== false)
                  .join(', ')}
              </span>
            )}
          </li>
        ))}
      </ul>
    </section>
  )
}
