import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { DetectorOptions, Finding, Mode } from '../../src/mining/contract.ts'
import { createAnomalyDetector } from '../../src/mining/detect/anomaly-detector.ts'
import type { Row } from '../report.ts'
import { rounded, score } from './scorer.ts'

/** Fields that the detector gets. The other fields of a stream are for the scorer. */
interface StreamLine {
  readonly t_ms: number
  readonly source: string
  readonly line: string
}

interface Score {
  readonly all: { readonly [figure: string]: number } & {
    readonly by: { readonly [kind: string]: readonly number[] }
    readonly ttds: readonly number[]
  }
}

const TICK_MS = 30_000
const OPTIONS: DetectorOptions = {
  miner: { maxPatterns: 10_000 },
  catalog: { autoPromoteAfter: 50, spikeZ: 3, spikeMinFrequency: 5, spikeMinBaselineCount: 20 },
  renotifyMs: 3_600_000,
  newServiceGraceMs: 0,
}

/** Learns and judges each stream on its own clock. Returns one row for each set of streams. */
export function rowsOf(data: string, scratch: string, progress: (what: string) => void): Row[] {
  const sets = join(data, 'scenarios')
  if (!existsSync(sets)) return []
  const names = readdirSync(sets, { withFileTypes: true }).filter((entry) => entry.isDirectory())
  return names.map(({ name }) => row(data, join(sets, name), join(scratch, name), progress))
}

function row(data: string, set: string, findings: string, progress: (what: string) => void): Row {
  mkdirSync(findings)
  for (const stream of readdirSync(set)) {
    progress(stream)
    const raised = watchStream(join(set, stream))
    writeFileSync(join(findings, `${stream}.jsonl`), raised.map((finding) => `${JSON.stringify(finding)}\n`).join(''))
  }
  const out = join(findings, 'score.json')
  score(join(data, 'score.py'), ['--scenarios', set, '--findings', findings, '--json', out])
  const { all } = JSON.parse(readFileSync(out, 'utf8')) as Score
  const per10k = (count = 0) => rounded((count * 10_000) / (all.lines ?? 1))
  const [near = 0, ofNear = 0] = all.by.near ?? []
  return {
    streams: set.split('/').at(-1) ?? set,
    lines: all.lines ?? 0,
    precision: rounded(all.P ?? 0),
    recall: rounded(all.R ?? 0),
    F1: rounded(all.F1 ?? 0),
    'near novel found': `${near} of ${ofNear}`,
    'false alarms per 10k lines': per10k(all.fa),
    'would-be calls per 10k lines': per10k(all.llm),
    'ticks to detect': rounded(all.ttds.reduce((sum, ticks) => sum + ticks, 0) / Math.max(1, all.ttds.length)),
  }
}

function watchStream(folder: string): object[] {
  const detector = createAnomalyDetector(OPTIONS)
  const raised: object[] = []
  let tickEndsAt: number | undefined
  const close = (atMs: number, mode: Mode) => {
    for (const finding of detector.closeTick(atMs, mode)) if (isRaised(finding)) raised.push(rowOf(finding, atMs))
    tickEndsAt = atMs + TICK_MS
  }
  for (const mode of ['training', 'detect'] as const) {
    const lines = linesOf(join(folder, `${mode === 'training' ? 'train' : mode}.jsonl`))
    // Streams begin with a tick.
    tickEndsAt ??= Math.floor((lines[0]?.t_ms ?? 0) / TICK_MS + 1) * TICK_MS
    for (const { t_ms, source, line } of lines) {
      while (t_ms >= tickEndsAt) close(tickEndsAt, mode)
      detector.observe({ text: line, source, service: source, rule: 'default' }, t_ms)
    }
    close(tickEndsAt, mode)
  }
  return raised
}

const isRaised = ({ phase }: Finding) => phase === 'opened' || phase === 'renotified'

function rowOf({ kind, pattern, samples }: Finding, atMs: number): object {
  return { t_ms: atMs, kind, template: pattern.template, sample: samples[0] ?? '' }
}

function linesOf(file: string): StreamLine[] {
  return readFileSync(file, 'utf8')
    .split('\n')
    .filter((row) => row !== '')
    .map((row) => {
      const { t_ms, source, line } = JSON.parse(row) as StreamLine
      return { t_ms, source, line }
    })
}
