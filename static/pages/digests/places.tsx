import { useEffect, useMemo } from 'preact/hooks'
import type { DigestPlace, DigestPlacePage } from '../../../src/api/noise/digest.ts'
import { get } from '../../api/client.ts'
import { Resource } from '../../api/resource.ts'
import { href } from '../../app/route.ts'
import { useRowKeys } from '../../list/row-keys.ts'
import { count } from '../../ui/charts/numbers.ts'
import { Pending } from '../../ui/empty.tsx'
import { Severity } from '../../ui/severity.tsx'
import { Time } from '../../ui/time.tsx'
import { Virtual } from '../../ui/virtual.tsx'

const ROW_REM = 3

interface PlacesProps {
  readonly number: number
  readonly folded: number
  /** Incidents that retention has not deleted. */
  readonly stored: number
  /** The first place that is shown. */
  readonly from: number
}

/** Every incident of a digest, by place. */
export function Places({ number, folded, stored, from }: PlacesProps) {
  const list = useMemo(() => placesOf(number, from), [number, from])
  useEffect(() => void list.load(), [list, folded])
  const rows = list.value
  const ids = () => rows?.map(({ incident_id }) => incident_id) ?? []
  const chosen = useRowKeys({ noun: 'incident', ids, address: (id) => href('incidents', id) })
  return (
    <section class="card digest-places stack">
      <header class="card-head">
        <h2>Every incident</h2>
        <p class="quiet">
          {stored < folded && `${count(folded - stored)} of ${count(folded)} were deleted by retention`}
          {from > 1 && (
            <>
              {stored < folded && ', '}
              from place {count(from)} on, <a href={href('digests', String(number))}>show all</a>
            </>
          )}
        </p>
      </header>
      {rows === undefined ? (
        <Pending of={list} />
      ) : rows.length === 0 ? (
        <p class="quiet">
          None is stored any more. The problems above keep the counts, and the ids of the first and last.
        </p>
      ) : (
        <Virtual
          label="Incidents by place"
          items={rows}
          rowRem={ROW_REM}
          shown={chosen}
          onNearEnd={() => void list.load()}
          row={(row, place, at) => (
            <li key={row.place} {...place}>
              <PlaceRow of={row} chosen={at === chosen} />
            </li>
          )}
        />
      )}
    </section>
  )
}

const PlaceRow = ({ of, chosen }: { readonly of: DigestPlace; readonly chosen: boolean }) => (
  <a class="digest-place row-link" href={href('incidents', of.incident_id)} aria-current={chosen ? 'true' : undefined}>
    <span class="digest-number quiet end">{count(of.place)}</span>
    <Severity severity={of.severity} short />
    <span class="stack">
      <span class="cut">{of.title}</span>
      <span class="quiet tiny cut">
        {of.service}
        {of.status === 'resolved' && ' · resolved'}
      </span>
    </span>
    <span class="digest-told quiet tiny end">
      {of.notified_at === null ? (
        'not notified yet'
      ) : (
        <>
          <Time at={of.notified_at} /> <span>by update {of.update}</span>
        </>
      )}
    </span>
  </a>
)

const PAGE = 200

/** Returns the places of a digest from one on, in their order; each load adds a page, or what came since. */
function placesOf(number: number, from: number): Resource<readonly DigestPlace[]> {
  let loaded: readonly DigestPlace[] = []
  return new Resource(async () => {
    const cursor = loaded.at(-1)?.place ?? Math.max(0, from - 1)
    const page: DigestPlacePage = await get(`/api/admin/digests/${number}/incidents?limit=${PAGE}&cursor=${cursor}`)
    loaded = [...loaded, ...page.places]
    return loaded
  })
}
