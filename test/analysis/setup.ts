import { Analyst } from '../../src/analysis/analyst.ts'
import type { AnalysisBackend, AnalysisFinding, CallResult, Observation } from '../../src/analysis/contract.ts'
import { DetectLog } from '../../src/analysis/detect-log.ts'
import type { AskOptions } from '../../src/models/options.ts'
import { memoryFile } from '../mining/setup.ts'

export const FINDING: AnalysisFinding = {
  title: 'The replica falls behind',
  summary: 'Writes arrive faster than they are applied.',
  severity: 'high',
  category: 'database',
  confidence: 0.8,
  suggestions: ['Look at the long transactions'],
}

/** A model of OpenAI, unless told otherwise. */
export const askOptions = (over: Partial<AskOptions> = {}): AskOptions => ({
  provider: 'openai',
  url: '',
  apiKey: '',
  model: 'm',
  schema: 'json_schema',
  context: 0,
  allowPrivate: true,
  temperature: 0.2,
  maxTokens: 500,
  ...over,
})

export function observation(over: Partial<Observation> = {}): Observation {
  return {
    verdict: 'unknown',
    patternId: 'p1',
    template: 'ERROR replica <*> lags <*> seconds',
    source: 'app',
    service: 'ledger',
    rule: 'default',
    samples: ['ERROR replica ledger-7 lags 31 seconds'],
    frequency: 4,
    baseline: 0,
    tickSeconds: 30,
    count: 4,
    firstSeen: '2026-01-02T03:04:05.000Z',
    at: '2026-01-02T03:05:00.000Z',
    ...over,
  }
}

/** A backend that returns what the test sets, and records its observations. */
class ScriptedBackend implements AnalysisBackend {
  readonly asked: Observation[] = []
  answer: () => unknown = () => FINDING
  async analyze(asked: Observation): Promise<CallResult> {
    this.asked.push(asked)
    const finding = (await this.answer()) as AnalysisFinding
    return { finding, prompts: '', rawResponse: '', model: '', durationMs: 1 }
  }
}

interface Options {
  readonly file?: ReturnType<typeof memoryFile>
  readonly cacheTtlMs?: number
  readonly maxCallsPerHour?: number
  readonly deadlineMs?: number
  readonly backend?: AnalysisBackend
}

/** Creates an analyst with a manual clock. `start` creates it again over the same file, as after a restart. */
export function analyst({ file = memoryFile(), cacheTtlMs = 3_600_000, maxCallsPerHour = 60, ...rest }: Options = {}) {
  const clock = { ms: Date.parse('2026-01-02T03:05:00Z') }
  const now = () => clock.ms
  const model = new ScriptedBackend()
  let ids = 0
  const start = () => {
    const log = new DetectLog({ file, maxCallsPerHour, now, saveFailed: (error) => Promise.reject(error) })
    const { backend = model, deadlineMs = 5_000 } = rest
    return { log, analyst: new Analyst({ log, cacheTtlMs, backend, deadlineMs, now, newId: () => `call-${++ids}` }) }
  }
  return { ...start(), start, model, clock, file }
}
