import type { AgentStatus, LogSourceStatus } from '../../../src/api/agent/agent.ts'
import { Card } from '../../ui/card.tsx'
import { Figure } from '../../ui/charts/figure.tsx'
import { Meter } from '../../ui/charts/meter.tsx'
import { count, rate } from '../../ui/charts/numbers.ts'
import { State } from '../../ui/chip.tsx'
import { Empty } from '../../ui/empty.tsx'
import { Table } from '../../ui/table.tsx'
import { span, Time } from '../../ui/time.tsx'

export function StatusView({ of }: { readonly of: AgentStatus }) {
  return (
    <>
      <dl class="figures">
        <Figure name="Lines" value={rate(of.lines_per_s)} unit="/s">
          {count(of.lines ?? 0)} in total
        </Figure>
        <Figure name="Lag" value={of.lag < 1_000 ? 'none' : span(of.lag)}>
          {of.lag < 1_000 ? 'all sources are up to date' : 'of the slowest source'}
        </Figure>
        <Figure name="Patterns" value={count(of.patterns)}>
          {count(of.merged ?? 0)} merged, {count(of.evicted ?? 0)} forgotten
        </Figure>
        <Figure name="Services" value={count(of.services ?? 0)}>
          {of.last_tick_at ? <Time before="last tick " at={of.last_tick_at} as="age" /> : 'no tick yet'}
        </Figure>
        {of.ai && (
          <Figure name="Questions to the model" value={of.ai.enabled ? count(of.ai.calls_last_hour) : 'off'}>
            {of.ai.enabled
              ? `${of.ai.model}, at most ${of.ai.max_calls_per_hour} per hour`
              : 'findings come from rules'}
          </Figure>
        )}
      </dl>
      {of.ai?.enabled && of.ai.paused && (
        <p class="error-text">
          The model failed several times in a row. It is not asked for a while, and findings come from rules.
        </p>
      )}
      <Card title="Sources" aside={of.ai?.enabled && <Budget of={of.ai} />}>
        {of.sources.length === 0 ? (
          <Empty icon="agent" title="No source">
            <p>
              Add one to <code>agent.sources</code>: a file, Loki, Elasticsearch, or lines pushed over HTTP.
            </p>
          </Empty>
        ) : (
          <Sources of={of.sources} />
        )}
      </Card>
    </>
  )
}

const Budget = ({ of }: { readonly of: NonNullable<AgentStatus['ai']> }) => (
  <div class="agent-budget">
    <Meter
      label="questions in the last hour"
      value={of.calls_last_hour}
      max={of.max_calls_per_hour}
      text={`${of.calls_last_hour} of ${of.max_calls_per_hour} questions`}
    />
  </div>
)

const Sources = ({ of }: { readonly of: readonly LogSourceStatus[] }) => (
  <Table
    rows={of}
    id={({ name }) => name}
    columns={[
      ['Source', ({ name }) => name],
      ['Type', ({ type }) => type],
      ['State', ({ state, error }) => [<State key="state" of={state} />, error && <p class="error-text">{error}</p>]],
      ['Lag', ({ lag_ms }) => (lag_ms < 1_000 ? 'none' : span(lag_ms)), { number: true }],
      ['Events', ({ events }) => count(events), { number: true }],
      ['Last read to its end', ({ read_to_end_at: at }) => (at ? <Time at={at} as="age" /> : NOT_YET)],
    ]}
  />
)
const NOT_YET = <span class="quiet">not yet</span>
