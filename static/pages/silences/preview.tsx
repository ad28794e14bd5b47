import type { SilencePreview } from '../../../src/api/noise/silence.ts'
import { href } from '../../app/route.ts'
import { Answer } from '../../ui/answer.tsx'
import { Card } from '../../ui/card.tsx'
import { Figure } from '../../ui/charts/figure.tsx'
import { count, plural } from '../../ui/charts/numbers.ts'
import { Severity } from '../../ui/severity.tsx'
import { Time } from '../../ui/time.tsx'
import type { SilenceDraft } from './draft.ts'

/** The effect that the silence of the form would have had on the last 24 hours. */
export const Preview = ({ draft }: { readonly draft: SilenceDraft }) => (
  <Card
    title="In the last 24 hours"
    class="silence-preview"
    label="Preview"
    aside={<p class="quiet">Nothing is silenced yet</p>}
  >
    <Answer of={draft.question.outcome.value} hint="Write a condition to see what it would have held.">
      {(preview) => (
        <>
          <Effect of={preview} />
          {preview.broad && <Broad draft={draft} of={preview} />}
        </>
      )}
    </Answer>
  </Card>
)

const Effect = ({ of }: { readonly of: SilencePreview }) => (
  <>
    <p class="mono break">{of.text}</p>
    <dl class="figures silence-figures">
      <Figure name="Incidents held" value={count(of.incidents)}>
        of {count(of.looked_at)} stored
      </Figure>
      <Figure name="Problems" value={count(of.problems)}>
        {of.criticals === 0 ? 'none critical' : `${count(of.criticals)} critical incidents`}
      </Figure>
      <Figure name="Pages held" value={count(of.pages)}>
        armed again at the end
      </Figure>
    </dl>
    {of.causes > 0 && <p>In force because of {plural(of.causes, 'problem')}.</p>}
    {of.starts_at !== null && (
      <p>
        Begins <Time at={of.starts_at} as="whole" />
        <Time before=", ends " at={of.ends_at} as="whole" />.
      </p>
    )}
    {of.examples.length > 0 && (
      <ul class="silence-examples small">
        {of.examples.map(({ incident_id, title, severity }) => (
          <li key={incident_id}>
            <Severity severity={severity} short />
            <a class="cut" href={href('incidents', incident_id)}>
              {title}
            </a>
          </li>
        ))}
      </ul>
    )}
  </>
)

const Broad = ({ draft, of }: { readonly draft: SilenceDraft; readonly of: SilencePreview }) => (
  <label class="render-warning silence-broad">
    <input
      type="checkbox"
      checked={draft.broad.value}
      onChange={(event) => (draft.broad.value = event.currentTarget.checked)}
    />
    It would hold more than half of all incidents ({plural(of.incidents, 'incident')}). Make it all the same.
  </label>
)
