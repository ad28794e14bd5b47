import { type ReadonlySignal, useSignal } from '@preact/signals'
import type { PatternPage, PatternRecord } from '../../../src/api/agent/pattern.ts'
import { VERDICTS } from '../../../src/domain/pattern-verdict.ts'
import { useResource } from '../../api/resource.ts'
import { count, rate, short } from '../../ui/charts/numbers.ts'
import { Spark } from '../../ui/charts/spark.tsx'
import { State } from '../../ui/chip.tsx'
import { Empty, Pending } from '../../ui/empty.tsx'
import { ANY, Choose, Search } from '../../ui/field.tsx'
import { Time } from '../../ui/time.tsx'
import { Virtual } from '../../ui/virtual.tsx'
import { label } from './label.ts'
import { PatternDialog } from './pattern.tsx'

const MAX_PATTERNS = 5_000
const ROW_REM = 4.25

/** The learned patterns, with search, and a button to mark one as known. */
export function Patterns({ ticks }: { readonly ticks: ReadonlySignal<number> }) {
  const patterns = useResource<PatternPage>(`/api/agent/patterns?limit=${MAX_PATTERNS}`, ticks)
  const words = useSignal('')
  const verdict = useSignal('')
  const chosen = useSignal('')
  const { value } = patterns
  if (value === undefined) return <Pending of={patterns} lines={8} />
  const changed = () => void patterns.load()
  const found = value.patterns.filter((each) => fits(each, words.value.trim().toLowerCase(), verdict.value))
  const open = value.patterns.find(({ id }) => id === chosen.value)
  return (
    <>
      <div class="row">
        <Search label="Search patterns" placeholder="Search patterns, services, tags" text={words} />
        <Choose label="Verdict" of={verdict} options={[ANY, ...VERDICTS]} />
        <span class="quiet">
          {count(found.length)} of {count(value.total)}
        </span>
      </div>
      {found.length === 0 ? (
        <Nothing any={value.total > 0} />
      ) : (
        <List found={found} choose={(id) => (chosen.value = id)} changed={changed} />
      )}
      {open && <PatternDialog of={open} changed={changed} close={() => (chosen.value = '')} />}
    </>
  )
}

function fits(pattern: PatternRecord, words: string, verdict: string): boolean {
  const { id, template, service, source, tags } = pattern
  if (verdict !== '' && pattern.verdict !== verdict) return false
  return words === '' || [id, template, service, source, ...tags].some((text) => text.toLowerCase().includes(words))
}

const Nothing = ({ any }: { readonly any: boolean }) => (
  <Empty icon="agent" title={any ? 'No pattern matches' : 'No pattern yet'}>
    <p>{any ? 'Change the search or the verdict.' : 'Patterns appear with the first lines of a source.'}</p>
  </Empty>
)

interface ListProps {
  readonly found: readonly PatternRecord[]
  choose(id: string): void
  changed(): void
}

const List = ({ found, choose, changed }: ListProps) => (
  <section class="card pattern-list">
    <Virtual
      label="Patterns, last seen first"
      items={found}
      rowRem={ROW_REM}
      row={(pattern, place) => (
        <li key={pattern.id} {...place} class={`${place.class} pattern-row`}>
          <PatternRow of={pattern} choose={choose} changed={changed} />
        </li>
      )}
    />
  </section>
)

interface PatternRowProps extends Omit<ListProps, 'found'> {
  readonly of: PatternRecord
}

function PatternRow({ of, choose, changed }: PatternRowProps) {
  const { id, template, service, source, tags, recent, baseline_frequency, verdict, last_seen } = of
  const now = recent.at(-1)
  const text = `${now === undefined ? '' : `now ${rate(now)} lines per tick, `}usually ${rate(baseline_frequency)}`
  return (
    <>
      <button type="button" class="pattern-open" onClick={() => choose(id)}>
        <code class="cut">{template}</code>
        <span class="quiet cut">
          {[service, source, ...tags.map((tag) => `#${tag}`)].filter((each) => each !== '').join(', ')}
        </span>
      </button>
      <span class="pattern-rate" title={text}>
        <Spark label={text} values={recent} baseline={baseline_frequency} />
      </span>
      <span class="pattern-count end">
        {short(of.count)}
        <span class="quiet">
          <Time at={last_seen} as="age" />
        </span>
      </span>
      <span class="pattern-verdict">
        <State of={verdict} />
        {verdict === 'unknown' && (
          <button type="button" class="link-button" onClick={() => void label(id, { verdict: 'known' }).then(changed)}>
            Mark known<span class="hidden-text"> {template}</span>
          </button>
        )}
      </span>
    </>
  )
}
