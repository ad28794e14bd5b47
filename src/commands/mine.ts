import { statSync } from 'node:fs'
import { basename } from 'node:path'
import { CallBudget } from '../analysis/detect-log.ts'
import type { Config } from '../config/complete.ts'
import { loadConfig } from '../config/load.ts'
import type { Finding, Mode } from '../mining/contract.ts'
import { AnomalyDetector } from '../mining/detect/anomaly-detector.ts'
import { createPrepareLine, LinePipeline } from '../mining/input/line-pipeline.ts'
import { Replay } from '../mining/input/replay.ts'
import { createTimeOf } from '../mining/input/timestamps.ts'
import { createFileSource } from '../mining/sources/file.ts'
import { errorText } from '../text/error-text.ts'
import { isoTimeOrNull } from '../text/iso-time.ts'
import { UsageError } from './command.ts'
import { CONFIG, defineCommand } from './define-command.ts'
import { type MineReport, printReport, raisedIncident } from './mine-report.ts'
import { progressBar } from './progress.ts'

const LINES_PER_TICK = 1_000

export const mine = defineCommand({
  name: 'mine',
  summary: 'show what the agent would have raised over a log file',
  word: 'FILE',
  about: `Runs the agent's own code over the file, with a clock that follows the times in its lines. Prints how much it learned, which
incidents it would have raised and when, and how often it would have called the model. It sends and writes nothing. The section
agent of the configuration applies, without its sources. A file without times is cut into ticks of ${LINES_PER_TICK} lines.`,
  options: {
    learn: {
      value: 'PERCENT',
      description:
        'part of the file that is learned as normal, before the rest is judged; default 50. With 0 only agent.new_service_grace is learned',
    },
    format: { value: 'FORMAT', description: 'text, or json if each line is a JSON object; default text' },
    all: { description: 'learn every line, not only those that pass agent.regex' },
    json: { description: 'print one JSON object' },
    config: CONFIG,
  },
  async run({ learn, format, all, json, config: parsedArguments }, [path, another]) {
    if (path === undefined || another !== undefined) throw new UsageError('tocsin mine needs one FILE to read')
    const { config } = loadConfig({ file: parsedArguments, env: process.env })
    const file = { path, bytes: sizeOf(path), format: formatOf(format) }
    const report = await mineFile(file, withRules(config.agent, all), shareOf(learn))
    if (json) console.log(JSON.stringify(report))
    else printReport(report)
    return 0
  },
})

interface LogFileOptions {
  readonly path: string
  readonly bytes: number
  readonly format: 'text' | 'json'
}

/** @param learn share of the file that is learned as normal */
async function mineFile(file: LogFileOptions, agent: Config['agent'], learn: number): Promise<MineReport> {
  const detector = new AnomalyDetector(agent)
  const aiCalls = new AiCallEstimate(agent.ai)
  const raised: MineReport['raised'][number][] = []
  const pipeline = new LinePipeline({
    prepareLine: createPrepareLine(agent),
    detector,
    now: () => replay.nowMs,
    failed,
  })
  const replay: Replay = new Replay({
    detector,
    pipeline,
    timeOf: createTimeOf(),
    source: basename(file.path),
    tickMs: agent.pollIntervalMs,
    linesPerTick: LINES_PER_TICK,
    found(findings, atMs) {
      for (const finding of findings)
        if (isRaised(finding)) raised.push(raisedIncident(finding, atMs, aiCalls.count(finding, atMs)))
    },
  })
  const startedAt = performance.now()
  await read(file, learn, replay)
  const seconds = (performance.now() - startedAt) / 1_000
  return {
    file: file.path,
    lines: replay.lines,
    learned: pipeline.learned,
    patterns: detector.counts().patterns,
    ticks: replay.ticks,
    tick_s: agent.pollIntervalMs / 1_000,
    learn_percent: Math.round(learn * 100),
    from: replay.timed ? isoTimeOrNull(replay.firstMs) : null,
    to: replay.timed ? isoTimeOrNull(replay.nowMs) : null,
    lines_per_s: Math.round(replay.lines / seconds),
    raised,
    calls: aiCalls.calls,
    calls_refused: aiCalls.refused,
  }
}

async function read({ path, bytes, format }: LogFileOptions, learn: number, replay: Replay): Promise<void> {
  const options = { path, format, fromBeginning: true, messageField: 'message', multiline: true, eventStart: '' }
  const source = createFileSource(options, { now: () => 0 })
  const bar = progressBar(bytes)
  const modeAt = (offset: number): Mode => (offset < learn * bytes ? 'training' : 'detect')
  let offset = 0
  try {
    for (let pulled = await source.pull(undefined, NEVER); ; pulled = await source.pull(pulled.cursor, NEVER)) {
      const { events } = pulled
      const end = Number(pulled.cursor.offset)
      const bytesEach = (end - offset) / events.length
      events.forEach((event, nth) => replay.add(event, modeAt(offset + nth * bytesEach)))
      offset = end
      bar.at(offset)
      if (!pulled.more) break
    }
    replay.finish(modeAt(offset))
  } finally {
    bar.done()
    await source.close()
  }
}
const NEVER = new AbortController().signal

const isRaised = ({ phase }: Finding) => phase === 'opened' || phase === 'renotified'

function failed(error: unknown): void {
  console.error(`warning: a line could not be learned: ${errorText(error)}`)
}

function sizeOf(path: string): number {
  const found = statSync(path, { throwIfNoEntry: false })
  if (!found?.isFile()) throw new UsageError(`${path} is not a file`)
  return found.size
}

function formatOf(format = 'text'): 'text' | 'json' {
  if (format === 'text' || format === 'json') return format
  throw new UsageError('--format must be text or json')
}

function shareOf(percent = '50'): number {
  const share = Number(percent) / 100
  if (percent.trim() !== '' && share >= 0 && share <= 1) return share
  throw new UsageError('--learn must be a number from 0 to 100')
}

function withRules(agent: Config['agent'], all: boolean): Config['agent'] {
  return all ? { ...agent, regex: { defaultPattern: '.*', rules: [] } } : agent
}

/** Counts the calls that the model would have got: none for a cached answer, and at most the hourly quota. */
class AiCallEstimate {
  readonly #budget: CallBudget
  readonly #ttlMs: number
  readonly #callsAt = new Map<string, number>()
  calls = 0
  refused = 0

  constructor({ maxCallsPerHour, cacheTtlMs }: Config['agent']['ai']) {
    this.#budget = new CallBudget(maxCallsPerHour)
    this.#ttlMs = cacheTtlMs
  }

  /** Returns true when the model would have been called. */
  count({ kind, pattern }: Finding, atMs: number): boolean {
    const key = `${kind} ${pattern.id}`
    const before = this.#callsAt.get(key)
    if (before !== undefined && atMs - before < this.#ttlMs) return false
    const asked = this.#budget.tryUse(atMs)
    if (asked) this.#callsAt.set(key, atMs)
    this.calls += asked ? 1 : 0
    this.refused += asked ? 0 : 1
    return asked
  }
}
