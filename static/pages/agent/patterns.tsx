import { type ReadonlySignal, useSignal } from '@preact/signals'
import type { PatternPage, PatternRecord } from '../../../src/api/agent/pattern.ts'
import { VERDICTS } from '../../../src/domain/pattern-verdict.ts'
import { post, remove } from '../../api/client.ts'
import { useResource } from '../../api/resource.ts'
import { attempt } from '../../app/notices.tsx'
import { Fact, TimeFact } from '../../ui/charts/figure.tsx'
import { count, rate, short } from '../../ui/charts/numbers.ts'
import { Spark } from '../../ui/charts/spark.tsx'
import { State } from '../../ui/chip.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { Empty, Pending } from '../../ui/empty.tsx'
import { ANY, Button, Choose, Search } from '../../ui/field.tsx'
import { Time } from '../../ui/time.tsx'
import { Virtual } from '../../ui/virtual.tsx'

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

/** All that is known of one pattern, with buttons to judge, tag and forget it. */
function PatternDialog({ of, changed, close }: { readonly of: PatternRecord; changed(): void; close(): void }) {
  const forget = async () => {
    const done = await attempt(
      () => remove(`/api/agent/patterns/${encodeURIComponent(of.id)}`),
      () => 'The pattern is forgotten. Its next line counts as new',
    )
    changed()
    if (done !== undefined) close()
  }
  return (
    <Dialog title="Pattern" class="pattern-dialog" close={close}>
      <div class="pattern-body stack gap-4">
        <pre class="raw">{of.template}</pre>
        <Spark label="Lines in each of the last ticks" values={of.recent} baseline={of.baseline_frequency} />
        <dl class="facts">
          <Fact name="Verdict">
            <State of={of.verdict} /> {of.known_by !== '' && <span class="quiet">by {of.known_by}</span>}
          </Fact>
          <Fact name="Lines">{count(of.count)}</Fact>
          <Fact name="Usual lines per tick">{rate(of.baseline_frequency)}</Fact>
          <TimeFact name="First seen" at={of.first_seen} as="whole" />
          <TimeFact name="Last seen" at={of.last_seen} as="whole" />
          <Fact name="Service">{of.service || '–'}</Fact>
          <Fact name="Source">{of.source}</Fact>
          <Fact name="Rule">{of.rule_name || '–'}</Fact>
          <Fact name="Id">
            <code class="break">{of.id}</code>
          </Fact>
        </dl>
        <Tags of={of} changed={changed} />
      </div>
      <footer class="dialog-foot">
        <Button onPress={() => void forget()}>Forget</Button>
        {VERDICTS.filter((verdict) => verdict !== of.verdict).map((verdict) => (
          <Button
            key={verdict}
            primary={verdict === 'known'}
            onPress={() => void label(of.id, { verdict }).then(changed)}
          >{`Mark ${verdict}`}</Button>
        ))}
      </footer>
    </Dialog>
  )
}

function Tags({ of, changed }: { readonly of: PatternRecord; changed(): void }) {
  const keep = (event: Event) => {
    event.preventDefault()
    const given = new FormData(event.currentTarget as HTMLFormElement).get('tags')
    const tags = String(given ?? '')
      .split(',')
      .map((tag) => tag.trim())
      .filter((tag) => tag !== '')
    void label(of.id, { tags }).then(changed)
  }
  return (
    <form class="tags" onSubmit={keep}>
      <label class="field stack gap-1">
        <span>Tags, separated by commas</span>
        <input type="text" name="tags" defaultValue={of.tags.join(', ')} autocomplete="off" />
      </label>
      <button type="submit" class="button">
        Save
      </button>
    </form>
  )
}

/** Stores a verdict or tags for a pattern, and shows the result. */
const label = (id: string, body: { readonly verdict?: string; readonly tags?: readonly string[] }) =>
  attempt(
    () => post(`/api/agent/patterns/${encodeURIComponent(id)}`, body),
    () => (body.verdict === undefined ? 'Tags saved' : `The pattern is ${body.verdict}`),
  )
