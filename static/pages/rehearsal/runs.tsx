import type { RehearsalRun, RehearsedDestination } from '../../../src/api/noise/rehearsal.ts'
import { destinationName } from '../../../src/domain/delivery/delivery.ts'
import { Fact } from '../../ui/charts/figure.tsx'
import { count, latency } from '../../ui/charts/numbers.ts'
import { Table } from '../../ui/table.tsx'

interface BothProps<T> {
  /** Under the configuration in force. */
  readonly before: T
  /** Under the proposed one. */
  readonly after: T
}

const COLUMNS = [
  ['by_message', 'Messages'],
  ['by_digest', 'In digests'],
  ['held', 'Held'],
] as const

/** One row for each destination of either run, with the numbers now and then. */
export function Destinations({ before, after }: BothProps<readonly RehearsedDestination[]>) {
  const names = [...new Set([...before, ...after].map(destinationName))]
  return (
    <Table
      columns={['Destination', ...COLUMNS.map(([, number]) => ({ number })), { number: 'Notified after, at most' }]}
    >
      {names.map((name) => {
        const was = before.find((each) => destinationName(each) === name)
        const is = after.find((each) => destinationName(each) === name)
        return (
          <tr key={name}>
            <th scope="row">{name}</th>
            {COLUMNS.map(([key]) => (
              <td key={key} class="number">
                <Change from={count(was?.[key] ?? 0)} to={count(is?.[key] ?? 0)} />
              </td>
            ))}
            <td class="number">
              <Change from={latency(was?.notified_max_ms)} to={latency(is?.notified_max_ms)} />
            </td>
          </tr>
        )
      })}
    </Table>
  )
}

const TOTALS = [
  ['nobody', 'Notified nobody'],
  ['held', 'Held everywhere'],
  ['pages', 'Pages'],
  ['unmatched', 'Matched by no rule'],
] as const

/** The numbers of whole runs. */
export const Totals = ({ before, after }: BothProps<RehearsalRun>) => (
  <dl class="facts rehearsal-totals">
    {TOTALS.map(([key, title]) => (
      <Fact key={key} name={title}>
        <Change from={count(before[key])} to={count(after[key])} />
      </Fact>
    ))}
  </dl>
)

const Change = ({ from, to }: { readonly from: string; readonly to: string }) =>
  from === to ? (
    <span>{to}</span>
  ) : (
    <>
      <span class="quiet">{from}</span> <span aria-hidden="true">→</span>
      <span class="hidden-text">becomes</span> <strong>{to}</strong>
    </>
  )
