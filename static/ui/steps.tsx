import type { ExplainStep } from '../../src/api/noise/explain.ts'
import { href } from '../app/route.ts'
import { State } from './chip.tsx'
import { Time } from './time.tsx'

/** The steps of an explanation, with the lines of the configuration that decided. */
export const Steps = ({ of, label }: { readonly of: readonly ExplainStep[]; readonly label: string }) => (
  <ol class="steps" aria-label={label}>
    {of.map(({ stage, subject, verdict, because, at, line, digest, silence }, nth) => (
      <li key={nth} class="step lined">
        <span class="step-stage">
          {stage}
          {subject !== '' && <strong class="break">{subject}</strong>}
        </span>
        <span class="step-verdict">
          <State of={verdict} />
        </span>
        <span class="step-because break">
          {because}
          {digest !== null && ' '}
          {digest !== null && <a href={href('digests', String(digest))}>Open the digest</a>}
          {silence !== null && ' '}
          {silence !== null && <a href={href('silences', String(silence))}>Open the silence</a>}
        </span>
        {(at !== null || line !== null) && (
          <span class="step-at quiet tiny end">
            {at !== null && <Time at={at} />}
            {line !== null && <code class="break">{line}</code>}
          </span>
        )}
      </li>
    ))}
  </ol>
)
