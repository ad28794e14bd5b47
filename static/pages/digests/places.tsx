import { useSignal } from '@preact/signals'
import { useEffect, useMemo } from 'preact/hooks'
import type { DigestPlace } from '../../../src/api/noise/digest.ts'
import { usePageKeys } from '../../app/keys.ts'
import { href, navigate } from '../../app/route.ts'
import { ErrorPanel, LoadingLines } from '../../ui/empty.tsx'
import { count } from '../../ui/numbers.ts'
import { Severity } from '../../ui/severity.tsx'
import { Time } from '../../ui/time.tsx'
import { rem, Virtual } from '../../ui/virtual.tsx'
import { PlaceList } from './place-list.ts'

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
  const list = useMemo(() => new PlaceList(number, from), [number, from])
  const cursor = useSignal(-1)
  useEffect(() => void list.more(), [list, folded])
  const rows = list.rows.value
  const move = (step: number) => {
    cursor.value = Math.max(0, Math.min((rows?.length ?? 1) - 1, cursor.peek() + step))
  }
  usePageKeys([
    { key: 'j', description: 'Next incident', run: () => move(1) },
    { key: 'k', description: 'Previous incident', run: () => move(-1) },
    {
      key: 'Enter',
      description: 'Open the incident',
      run: () => {
        const row = list.rows.peek()?.[cursor.peek()]
        if (row !== undefined) navigate(href('incidents', row.incident_id))
      },
    },
  ])
  return (
    <section class="card digest-places">
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
        list.error.value ? (
          <ErrorPanel error={list.error.value} onRetry={() => void list.more()} />
        ) : (
          <LoadingLines />
        )
      ) : rows.length === 0 ? (
        <p class="quiet">
          None is stored any more. The problems above keep the counts, and the ids of the first and last.
        </p>
      ) : (
        <Rows rows={rows} chosen={cursor.value} more={() => void list.more()} />
      )}
    </section>
  )
}

interface RowsProps {
  readonly rows: readonly DigestPlace[]
  readonly chosen: number
  more(): void
}

function Rows({ rows, chosen, more }: RowsProps) {
  const height = Math.round(rem(ROW_REM))
  return (
    <Virtual
      label="Incidents by place"
      count={rows.length}
      rowHeight={height}
      shown={chosen}
      onNearEnd={more}
      row={(at) => {
        const row = rows[at]
        const place = { transform: `translateY(${at * height}px)`, height: `${height}px` }
        if (row === undefined) return <li key={at} />
        return (
          <li key={row.place} class="virtual-row" style={place}>
            <PlaceRow of={row} chosen={at === chosen} />
          </li>
        )
      }}
    />
  )
}

const PlaceRow = ({ of, chosen }: { readonly of: DigestPlace; readonly chosen: boolean }) => (
  <a class="digest-place" href={href('incidents', of.incident_id)} aria-current={chosen ? 'true' : undefined}>
    <span class="digest-number">{count(of.place)}</span>
    <Severity severity={of.severity} short />
    <span class="digest-title">
      <span class="cut">{of.title}</span>
      <span class="quiet cut">
        {of.service}
        {of.status === 'resolved' && ' · resolved'}
      </span>
    </span>
    <span class="digest-told quiet">
      {of.told_at === null ? (
        'not told yet'
      ) : (
        <>
          <Time at={of.told_at} /> <span>by revision {of.revision}</span>
        </>
      )}
    </span>
  </a>
)
