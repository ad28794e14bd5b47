import type { ReadonlySignal } from '@preact/signals'
import type { ShadowEvent, ShadowEventList } from '../../../src/api/agent/shadow-event.ts'
import { useResource } from '../../api/resource.ts'
import { plural } from '../../ui/charts/numbers.ts'
import { State } from '../../ui/chip.tsx'
import { Time } from '../../ui/time.tsx'
import { EventLog } from './event-log.tsx'

/** The incidents that the agent would have raised in detect mode. */
export const ShadowLog = ({ refreshOn }: { readonly refreshOn: ReadonlySignal<unknown> }) => (
  <EventLog
    name="shadow"
    log={useResource<ShadowEventList>('/api/agent/shadow', refreshOn)}
    noun="pattern"
    empty={{
      title: 'The shadow log is empty',
      text: 'In shadow mode the agent lists here what it would have raised, so that you can judge how much that is.',
    }}
    clearing="All entries are deleted. The patterns stay."
    row={(event) => <ShadowRow key={`${event.pattern_id} ${event.verdict}`} of={event} />}
  />
)

const ShadowRow = ({ of }: { readonly of: ShadowEvent }) => (
  <li class="event-card stack gap-1 small">
    <div class="row">
      <State of={of.verdict} />
      <span>would have been {plural(of.occurrences, 'incident')}</span>
      <span class="quiet">
        {plural(of.count, 'line')}, last <Time at={of.last_seen} as="age" />
        {of.service && `, ${of.service}`}
      </span>
    </div>
    <code class="break">{of.template}</code>
    {of.sample_message !== '' && <pre class="raw">{of.sample_message}</pre>}
  </li>
)
