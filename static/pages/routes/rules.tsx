import type { RouteRecord, RouteTable } from '../../../src/api/noise/route.ts'
import { href } from '../../app/route.ts'
import { count } from '../../ui/charts/numbers.ts'
import { Chip } from '../../ui/chip.tsx'
import { Time } from '../../ui/time.tsx'

/** The rules in their order, with what matched so far, and last the incidents that no rule matched. */
export const Rules = ({ of: { routes, unmatched } }: { readonly of: RouteTable }) => (
  <section class="card">
    <ol class="rules">
      {routes.map((route, nth) => (
        <Rule key={route.name} of={route} number={nth + 1} />
      ))}
      <li class="rule lined">
        <span class="rule-number" />
        <span class="rule-name stack gap-1">
          <strong>{routes.length === 0 ? 'every incident' : 'no rule matched'}</strong>
          <span class="quiet">{routes.length === 0 && 'Without routes every enabled channel is notified.'}</span>
        </span>
        <span class="rule-to stack gap-1">{unmatched.to.join(', ') || 'nobody'}</span>
        <Hits rule="" hits={unmatched.hits} lastAt={null} />
      </li>
    </ol>
  </section>
)

function Rule({ of, number }: { readonly of: RouteRecord; readonly number: number }) {
  const { name, line, match, during, active, to, oncall, priority, never_reached_behind } = of
  const duties = [
    oncall && (oncall.enable ? `pages${waitOf(oncall.wait_minutes)}` : oncall.enable === false && 'does not page'),
    oncall?.escalation && `escalation ${oncall.escalation}`,
    priority && `priority ${priority}`,
    of.continue && 'goes on to the next rule',
  ].filter((each) => each)
  return (
    <li class={`rule lined ${never_reached_behind === null ? '' : 'rule-dead'}`}>
      <span class="rule-number quiet">{number}</span>
      <span class="rule-name stack gap-1">
        <strong>{name}</strong>
        <span class="mono break">{match}</span>
        <span class="rule-marks row">
          {during !== null && (
            <Chip tone={active ? 'info' : 'plain'} icon="clock">
              {during}
              {active ? '' : ', not now'}
            </Chip>
          )}
          {never_reached_behind !== null && (
            <Chip tone="bad" icon="triangle">
              Never reached behind {never_reached_behind}
            </Chip>
          )}
          {line !== null && <code class="quiet break">{line}</code>}
        </span>
      </span>
      <span class="rule-to stack gap-1">
        {to === null ? 'every channel' : to.join(', ') || 'nobody'}
        {duties.length > 0 && <span class="quiet">{duties.join(', ')}</span>}
      </span>
      <Hits rule={name} hits={of.hits} lastAt={of.last_hit_at} />
    </li>
  )
}

const waitOf = (minutes: number | null) =>
  minutes === null ? '' : minutes === 0 ? ' at once' : ` after ${minutes} min`

interface HitsProps {
  /** '' for incidents that no rule matched. */
  readonly rule: string
  readonly hits: number
  readonly lastAt: string | null
}

const Hits = ({ rule, hits, lastAt }: HitsProps) => (
  <span class="rule-hits stack gap-1">
    {hits === 0 ? (
      <span class="quiet">never</span>
    ) : rule === '' ? (
      <strong>{count(hits)}</strong>
    ) : (
      <a href={href('incidents', '', { rule })}>
        {count(hits)}
        <span class="hidden-text"> incidents of {rule}</span>
      </a>
    )}
    {lastAt !== null && (
      <span class="quiet">
        <Time at={lastAt} as="age" />
      </span>
    )}
  </span>
)
