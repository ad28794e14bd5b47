import type { PatternRecord } from '../../../src/api/agent/pattern.ts'
import { VERDICTS } from '../../../src/domain/pattern-verdict.ts'
import { remove } from '../../api/client.ts'
import { attempt } from '../../app/notices.tsx'
import { Fact, TimeFact } from '../../ui/charts/figure.tsx'
import { count, rate } from '../../ui/charts/numbers.ts'
import { Spark } from '../../ui/charts/spark.tsx'
import { State } from '../../ui/chip.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { Button } from '../../ui/field.tsx'
import { label } from './label.ts'

/** All that is known of one pattern, with buttons to judge, tag and forget it. */
export function PatternDialog({ of, changed, close }: { readonly of: PatternRecord; changed(): void; close(): void }) {
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
