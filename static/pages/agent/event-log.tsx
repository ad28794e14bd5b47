import type { ComponentChildren } from 'preact'
import type { Cleared } from '../../../src/api/agent/agent.ts'
import { remove } from '../../api/client.ts'
import type { Resource } from '../../api/resource.ts'
import { attempt } from '../../app/notices.tsx'
import { Card } from '../../ui/card.tsx'
import { plural } from '../../ui/charts/numbers.ts'
import { ConfirmButton } from '../../ui/dialog.tsx'
import { Empty, Pending } from '../../ui/empty.tsx'

interface EventLogProps<Event> {
  readonly name: 'detect' | 'shadow'
  readonly log: Resource<{ readonly events: readonly Event[] }>
  /** One entry, as the heading counts them. */
  readonly noun: string
  readonly empty: { readonly title: string; readonly text: ComponentChildren }
  /** What clearing deletes. */
  readonly clearing: string
  /** Further buttons. */
  readonly actions?: ComponentChildren
  row(event: Event): ComponentChildren
  /** Stands below the entries. */
  readonly children?: ComponentChildren
}

/** A log of the agent, with a button that clears it. */
export function EventLog<Event>(props: EventLogProps<Event>) {
  const { name, log, noun, empty, clearing, actions, row, children } = props
  const { value } = log
  if (value === undefined) return <Pending of={log} />
  if (value.events.length === 0) {
    return (
      <Empty icon="agent" title={empty.title}>
        <p>{empty.text}</p>
      </Empty>
    )
  }
  const clear = () =>
    attempt(
      () => remove<Cleared>(`/api/agent/${name}`),
      ({ cleared }) => `${plural(cleared, 'entry', 'entries')} cleared`,
    ).then(() => log.load())
  return (
    <Card
      title={plural(value.events.length, noun)}
      aside={
        <div class="actions">
          {actions}
          <ConfirmButton ask={`Clear the ${name} log?`} action="Clear" text={clearing} confirm={() => void clear()}>
            Clear
          </ConfirmButton>
        </div>
      }
    >
      <ul>{value.events.map(row)}</ul>
      {children}
    </Card>
  )
}
