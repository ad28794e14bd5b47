import { SCORE } from '../../../src/brief/question.ts'
import { type CaseOptions, measure, type Row, type Tables, type TrialOptions } from '../../report.ts'
import { type Fired, historyOf, KINDS } from './history.ts'
import { type Quality, qualityOf } from './measure.ts'
import { bm25, newestOfService, nothing, similar } from './methods.ts'
import { hiddenRow, recordedIn } from './recorded.ts'

export const title =
  'retrieval: openings of the newer fifth of generated histories that find their family among five entries'
const BY_KIND = 'retrieval: the same for the first opening of a problem, by kind of family'
const CHOICE = 'retrieval: shares and threshold on the last fifth of the older 80 %, the best first'
const RECORDED = 'retrieval: a recorded history: the own problem is among five, with its fingerprint hidden'

interface Case {
  readonly histories: number
  readonly openings: number
}

export const cases = ({ quick }: CaseOptions): Case[] => [
  quick ? { histories: 1, openings: 800 } : { histories: 5, openings: 5_000 },
]

export const leftOut = () => (process.env.BENCH_DATA === undefined ? 'a recorded history: none was given (--data)' : '')

const METHODS = { similar, 'same fingerprint only': nothing, 'newest of the service': newestOfService, bm25 }
const GOALS = { recall: { atLeast: 0.9 }, hidden: { atLeast: 0.75 }, wrong: { atMost: 0.2 } }
const SHIPPED = { ...SCORE }
/** Right answers are compared only where unseen families get fewer wrong entries than this. */
const MOST_WRONG = GOALS.wrong.atMost
const SHOWN = 6

export async function run({ progress, quick }: TrialOptions, { histories, openings }: Case): Promise<Tables> {
  const all = Array.from({ length: histories }, (_, at) => historyOf(at + 1, openings))
  const found = Object.entries(METHODS).map(([name, method]) => {
    progress(name)
    return { name, qualities: all.map((history) => qualityOf(history, method(), [openings * 0.8, openings])) }
  })
  const data = process.env.BENCH_DATA
  const recorded = data === undefined ? [] : recordedIn(data)
  return {
    [title]: found.map(({ name, qualities }) => ({ method: name, ...figures(qualities, name === 'similar') })),
    [BY_KIND]: KINDS.map((kind) => ({ kind, ...ofKind(found, kind) })),
    ...(!quick && { [CHOICE]: choose(all, progress) }),
    ...(data !== undefined && {
      [RECORDED]: Object.entries(METHODS).map(([name, method]) => hiddenRow(name, recorded, method())),
    }),
  }
}

function figures(qualities: readonly Quality[], hasGoals: boolean): Row {
  const of = (name: 'recall' | 'hidden' | 'fresh' | 'wrong') =>
    measure(
      qualities.map((each) => each[name]),
      3,
      hasGoals && name !== 'fresh' ? GOALS[name] : undefined,
    )
  return {
    'recall@5': of('recall'),
    'fingerprint hidden': of('hidden'),
    'first opening of a problem': of('fresh'),
    'wrong entries for an unseen family': of('wrong'),
  }
}

function ofKind(found: readonly { name: string; qualities: readonly Quality[] }[], kind: string): Row {
  const cells = found.map(({ name, qualities }) => {
    const shares = qualities.flatMap(({ byKind }) => byKind.get(kind) ?? [])
    return [name, shares.length === 0 ? '' : measure(shares, 2)] as const
  })
  return Object.fromEntries(cells.filter(([name]) => name !== 'same fingerprint only'))
}

/** Compares shares and thresholds on openings that the other tables do not measure. */
function choose(all: readonly (readonly Fired[])[], progress: TrialOptions['progress']): Row[] {
  const choices = [0.5, 0.6, 0.7].flatMap((ofTitle) =>
    [0.15, 0.25].flatMap((service) =>
      [0.45, 0.6, 0.7, 0.75, 0.8].map((enough) => {
        const labels = Math.round((1 - ofTitle - service) * 100) / 100
        return { title: ofTitle, labels, service, enough }
      }),
    ),
  )
  const rows = choices.map((choice) => {
    progress(`choosing: ${Object.values(choice).join(' ')}`)
    Object.assign(SCORE, choice)
    const qualities = all.map((history) => qualityOf(history, similar(), [history.length * 0.64, history.length * 0.8]))
    const mean = (name: 'fresh' | 'wrong') => qualities.reduce((sum, each) => sum + each[name], 0) / qualities.length
    const isShipped = JSON.stringify(choice) === JSON.stringify(SHIPPED)
    const row = { ...choice, shipped: isShipped ? 'yes' : '', ...figures(qualities, false) }
    return { row, rank: mean('wrong') > MOST_WRONG ? -mean('wrong') : mean('fresh') }
  })
  Object.assign(SCORE, SHIPPED)
  const best = rows.sort((one, other) => other.rank - one.rank)
  return best.filter(({ row }, at) => at < SHOWN || row.shipped === 'yes').map(({ row }) => row)
}
