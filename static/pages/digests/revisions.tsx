import type { DigestRevision } from '../../../src/api/noise/digest.ts'
import { Chip } from '../../ui/chip.tsx'
import { count } from '../../ui/numbers.ts'
import { Time } from '../../ui/time.tsx'

const SHOWN = 20

/** The latest revisions of a digest: when each was told, and up to which place. */
export function Revisions({ of }: { readonly of: readonly DigestRevision[] }) {
  return (
    <section class="card">
      <header class="card-head">
        <h2>Revisions</h2>
        {of.length > SHOWN && <p class="quiet">the last {SHOWN}</p>}
      </header>
      {of.length === 0 ? (
        <p class="quiet">None yet.</p>
      ) : (
        <ol class="digest-revisions" reversed>
          {of.slice(0, SHOWN).map(({ number, through, way, told_at }) => (
            <li key={number}>
              <span class="quiet">{number}</span>
              <Chip tone={way === 'post' ? 'info' : 'plain'} icon={way === 'post' ? 'send' : 'again'}>
                {way === 'post' ? 'Posted' : 'Edited'}
              </Chip>
              <span>through place {count(through)}</span>
              <Time at={told_at} />
            </li>
          ))}
        </ol>
      )}
    </section>
  )
}
