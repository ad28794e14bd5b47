import { useSignal } from '@preact/signals'
import { useEffect, useMemo, useRef } from 'preact/hooks'
import { CHANNEL_NAMES } from '../../../src/domain/delivery/delivery.ts'
import { usePageKeys } from '../../app/keys.ts'
import { count, plural } from '../../ui/charts/numbers.ts'
import { Empty } from '../../ui/empty.tsx'
import { ANY, Button, Search, Select } from '../../ui/field.tsx'
import { Icon } from '../../ui/icon.tsx'
import { wide } from '../../ui/media.ts'
import { Virtual } from '../../ui/virtual.tsx'
import { KINDS, type Kind } from './events.ts'
import { EventRow } from './row.tsx'
import { KEPT, Tail } from './tail.ts'

/** All events as they happen, the newest on top. */
export function TailPage() {
  const tail = useMemo(() => new Tail(), [])
  useEffect(() => () => tail.close(), [tail])
  const box = useRef<HTMLDivElement>(null)
  const jump = () => {
    box.current?.querySelector('.virtual')?.scrollTo({ top: 0 })
    tail.follow()
  }
  const toggle = () => (tail.held.peek() === '' ? tail.hold('paused') : jump())
  usePageKeys([
    { key: ' ', description: 'Pause, resume', run: toggle },
    { key: 'G', description: 'Jump to the newest', run: jump },
    { key: 'x', description: 'Clear', run: () => tail.clear() },
  ])
  return (
    <div class="page stack gap-4 tail" ref={box}>
      <header class="page-head row">
        <h1>Live tail</h1>
        <Pace tail={tail} />
        <div class="actions">
          <Button onPress={toggle}>
            <Icon name={tail.held.value === '' ? 'pause' : 'play'} />
            {tail.held.value === '' ? 'Pause' : 'Resume'}
          </Button>
          <Button onPress={() => tail.clear()}>Clear</Button>
        </div>
      </header>
      <TailFilters tail={tail} />
      <Events tail={tail} jump={jump} />
    </div>
  )
}

const CONNECTION = { connecting: 'connecting', open: 'connected', waiting: 'connection lost, reconnecting' } as const

function Pace({ tail }: { readonly tail: Tail }) {
  const missed = tail.missed.value
  return (
    <p class="quiet">
      {CONNECTION[tail.state.value]}, {plural(tail.perSecond.value, 'event')} per second
      {missed > 0 && <span class="error-text">, {plural(missed, 'event')} missed</span>}
    </p>
  )
}

const KIND_NAMES: { readonly [kind in Kind]: string } = {
  incident: 'Incidents',
  delivery: 'Deliveries',
  oncall: 'On call',
  digest: 'Digests',
  silence: 'Silences',
  answer: 'Answers',
  agent: 'Agent',
}

function TailFilters({ tail }: { readonly tail: Tail }) {
  const words = useSignal('')
  const choice = tail.choice.value
  const toggle = (kind: Kind) => {
    const kinds = KINDS.filter((each) => (each === kind) !== choice.kinds.includes(each))
    tail.choose({ ...choice, kinds: kinds.length === 0 ? KINDS : kinds })
  }
  return (
    <div class="row">
      <Search
        label="Filter events"
        placeholder="Filter by words"
        text={words}
        typed={(q) => tail.choose({ ...choice, q })}
      />
      <div class="filter-choices row">
        <fieldset class="toggles">
          <legend class="hidden-text">Kinds of events</legend>
          {KINDS.map((kind) => (
            <label key={kind} class="toggle">
              <input type="checkbox" checked={choice.kinds.includes(kind)} onChange={() => toggle(kind)} />
              {KIND_NAMES[kind]}
            </label>
          ))}
        </fieldset>
        <Select
          label="Severity"
          value={choice.severity}
          options={[ANY, 'critical', 'error', 'warning', 'info']}
          onChoose={(severity) => tail.choose({ ...choice, severity })}
        />
        <Select
          label="Channel"
          value={choice.channel}
          options={[ANY, ...CHANNEL_NAMES]}
          onChoose={(channel) => tail.choose({ ...choice, channel })}
        />
      </div>
    </div>
  )
}

const FLAT_REM = 2.25
const FOLDED_REM = 3.5

function Events({ tail, jump }: { readonly tail: Tail; jump(): void }) {
  const events = tail.shown.value
  if (events.length === 0) {
    return (
      <Empty icon="tail" title="No event yet">
        <p>Incidents, deliveries, digests, silences, pages and findings of the agent appear here as they happen.</p>
      </Empty>
    )
  }
  const scrolled = (top: number) => {
    if (top > 0) tail.hold('scrolled')
    else if (tail.held.peek() === 'scrolled') tail.follow()
  }
  return (
    <div class="list-body">
      {tail.held.value !== '' && (
        <button type="button" class="unseen" onClick={jump}>
          {tail.waiting.value > KEPT ? `more than ${count(KEPT)}` : count(tail.waiting.value)} new, jump to the newest
        </button>
      )}
      <Virtual
        label="Events, newest first"
        items={events.toReversed()}
        rowRem={wide.value ? FLAT_REM : FOLDED_REM}
        onScrolled={scrolled}
        // The key is the position, not the event: with many events a second only texts change, not elements.
        row={(event, place, at) => <EventRow key={at} event={event} place={place} />}
      />
    </div>
  )
}
