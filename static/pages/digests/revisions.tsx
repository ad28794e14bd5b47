import type { DigestUpdate } from '../../../src/api/noise/digest.ts'
import { Card } from '../../ui/card.tsx'
import { count } from '../../ui/charts/numbers.ts'
import { Chip } from '../../ui/chip.tsx'
import { Time } from '../../ui/time.tsx'

const SHOWN = 20

/** The latest updates of a digest: when each was sent, and up to which place. */
export function Revisions({ of }: { readonly of: readonly DigestUpdate[] }) {
  return (
    <Card title="Updates" aside={of.length > SHOWN && <p class="quiet">the last {SHOWN}</p>}>
      {of.length === 0 ? (
        <p class="quiet">None yet.</p>
      ) : (
        <ol class="digest-revisions small" reversed>
          {of.slice(0, SHOWN).map(({ number, through, way, notified_at }) => (
            <li key={number}>
              <span class="quiet">{number}</span>
              <Chip tone={way === 'post' ? 'info' : 'plain'} icon={way === 'post' ? 'send' : 'again'}>
                {way === 'post' ? 'Posted' : 'Edited'}
              </Chip>
              <span>through place {count(through)}</span>
              <Time at={notified_at} />
            </li>
          ))}
        </ol>
      )}
    </Card>
  )
}
