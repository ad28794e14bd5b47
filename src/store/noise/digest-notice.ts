import {
  DIGEST_PROBLEMS,
  type DigestCount,
  type DigestNotice,
  type DigestProblem,
  type OtherProblems,
} from '../../domain/notice.ts'
import { SEVERITY_LEVELS } from '../../domain/severity.ts'
import type { Sql } from '../engine/sql.ts'
import { query } from '../engine/statement.ts'
import { type Kind, LOUDEST_FIRST } from './kinds.ts'

/** A revision of which the numbers are read. */
interface RevisionFacts extends Pick<DigestNotice, 'revision' | 'phase' | 'mayRepeat'> {
  readonly bundle: number
  /** Places that no earlier revision covers. */
  readonly added: number
}

interface LevelRow {
  readonly level: number
  readonly firing: number
  readonly singlyFiring: number
  readonly resolved: number
  readonly singlyResolved: number
  readonly problems: number
  readonly stillFiring: number
  readonly firstAt: number
  readonly lastAt: number
}

interface ServiceRow {
  readonly service: string
  readonly problems: number
  readonly alerts: number
}

const ALERTS = 'firing + resolved + singly_firing + singly_resolved'
const IN_THE_STORM = `bundle = ? AND ${ALERTS} > 0`
const NAMED_SERVICES = 3

/** Opens the read of a digest's numbers from its problems, as they are on disk. */
export function openDigestNotice(db: Sql) {
  const levels = query<LevelRow>(
    db,
    `SELECT level, sum(firing) AS firing, sum(singly_firing) AS singlyFiring, sum(resolved) AS resolved,
       sum(singly_resolved) AS singlyResolved, count(*) AS problems, count(*) FILTER (WHERE last_status = 'firing') AS stillFiring,
       min(first_at) AS firstAt, max(last_at) AS lastAt
     FROM bundle_kinds WHERE ${IN_THE_STORM} GROUP BY level ORDER BY level`,
  )
  const loudest = query<Kind>(
    db,
    `SELECT * FROM bundle_kinds WHERE ${IN_THE_STORM}
     ORDER BY ${LOUDEST_FIRST} LIMIT ${DIGEST_PROBLEMS}`,
  )
  const services = query<ServiceRow>(
    db,
    `SELECT service, count(*) AS problems, sum(${ALERTS}) AS alerts FROM bundle_kinds WHERE ${IN_THE_STORM} GROUP BY service`,
  )

  return function noticeOf({ bundle, revision, phase, mayRepeat, added }: RevisionFacts): DigestNotice {
    const rows = levels.all(bundle)
    const shown = loudest.all(bundle)
    return {
      kind: 'digest',
      digest: bundle,
      revision,
      phase,
      mayRepeat,
      firstAt: Math.min(...rows.map(({ firstAt }) => firstAt)),
      lastAt: Math.max(...rows.map(({ lastAt }) => lastAt)),
      counts: countsOf(rows),
      added,
      problems: sum(rows, 'problems'),
      firing: sum(rows, 'stillFiring'),
      shown: shown.map(problemOf),
      others: othersOf(services.all(bundle), shown),
    }
  }
}

function countsOf(rows: readonly LevelRow[]): DigestCount[] {
  const resolved = {
    word: 'resolved' as const,
    alerts: sum(rows, 'resolved') + sum(rows, 'singlyResolved'),
    singly: sum(rows, 'singlyResolved'),
  }
  const firing = rows.map(({ level, firing, singlyFiring }) => ({
    word: levelName(level),
    alerts: firing + singlyFiring,
    singly: singlyFiring,
  }))
  return [...firing, resolved].filter(({ alerts }) => alerts > 0)
}

function problemOf(kind: Kind): DigestProblem {
  const singly = kind.singly_firing + kind.singly_resolved
  const places = kind.firing + kind.resolved
  return {
    title: kind.title,
    service: kind.service,
    level: levelName(kind.level),
    status: kind.last_status,
    incidentId: kind.last_id,
    alerts: places + singly,
    singly,
    added: places - kind.told_count,
    isNew: kind.told_count === 0 && singly === 0,
  }
}

function othersOf(all: readonly ServiceRow[], shown: readonly Kind[]): OtherProblems {
  const left = all
    .map(({ service, problems, alerts }) => {
      const listed = shown.filter((kind) => kind.service === service)
      const told = listed.reduce((count, kind) => count + problemOf(kind).alerts, 0)
      return { service, problems: problems - listed.length, alerts: alerts - told }
    })
    .filter(({ problems }) => problems > 0)
    .sort((a, b) => b.alerts - a.alerts)
  const top = left.slice(0, NAMED_SERVICES).map(({ service, alerts }) => ({ service, alerts }))
  return { problems: left.reduce((count, { problems }) => count + problems, 0), services: left.length, top }
}

const levelName = (level: number) => SEVERITY_LEVELS[level] ?? 'warning'

const sum = <Column extends string>(rows: readonly { readonly [name in Column]: number }[], column: Column) =>
  rows.reduce((total, row) => total + row[column], 0)
