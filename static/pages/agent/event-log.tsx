import { useSignal } from '@preact/signals'
import type { ComponentChildren } from 'preact'
import type { Cleared } from '../../../src/api/agent.ts'
import { remove } from '../../api/client.ts'
import type { Resource } from '../../api/resource.ts'
import { attempt } from '../../app/notices.tsx'
import { Confirm } from '../../ui/dialog.tsx'
import { Empty, Pending } from '../../ui/empty.tsx'
import { Button } from '../../ui/field.tsx'
import { plural } from '../../ui/numbers.ts'

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
  const asking = useSignal(false)
  const { value } = log.state.value
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
    <section class="card">
      <header class="card-head">
        <h2>{plural(value.events.length, noun)}</h2>
        <div class="actions">
          {actions}
          <Button onPress={() => (asking.value = true)}>Clear</Button>
        </div>
      </header>
      <ul class="events">{value.events.map(row)}</ul>
      {children}
      {asking.value && (
        <Confirm
          title={`Clear the ${name} log?`}
          action="Clear"
          confirm={() => void clear()}
          close={() => (asking.value = false)}
        >
          <p>{clearing}</p>
        </Confirm>
      )}
    </section>
  )
}
