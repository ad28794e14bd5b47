import { ModelFailure } from '../models/model.ts'
import { openModel } from '../models/open.ts'
import type { AskOptions } from '../models/options.ts'
import { type AnalysisBackend, AnalysisFailure, type Observation } from './contract.ts'
import { FINDING_SCHEMA, findingOf } from './finding.ts'
import { newFence, systemPrompt, userPrompt } from './prompt.ts'

/** Creates the backend of the configured provider. Sends one request per analysis, without retries. */
export function modelBackend(options: AskOptions): AnalysisBackend {
  const system = systemPrompt()
  const model = openModel(options)
  return {
    async analyze(observation, signal) {
      const prompts = { system, user: fittingPrompt(observation, options, system) }
      const startedAt = performance.now()
      const call = (answer: ModelFailure['answer']) => ({
        prompts,
        rawResponse: answer.text ?? '',
        model: answer.model ?? options.model,
        durationMs: performance.now() - startedAt,
      })
      try {
        const answer = await model.ask({ ...prompts, schema: FINDING_SCHEMA }, signal)
        if (options.context > 0 && answer.tokens >= options.context)
          throw new ModelFailure('cut', 'the context was full, so part of the prompt may be unread', answer)
        const finding = findingOf(jsonIn(answer.text))
        if (finding) return { ...call(answer), finding }
        throw new AnalysisFailure('unparsable', 'the model did not answer with a finding', call(answer))
      } catch (error) {
        if (!(error instanceof ModelFailure)) throw error
        throw new AnalysisFailure(error.kind, error.message, call(error.answer))
      }
    },
  }
}

/** Fewest bytes of a token in common text. */
const BYTES_PER_TOKEN = 3

/** Returns the prompt with as many samples as fit into the context together with the answer, but one at least. */
function fittingPrompt(observation: Observation, { context, maxTokens }: AskOptions, system: string): string {
  const fence = newFence()
  const bytes = context === 0 ? Number.POSITIVE_INFINITY : (context - maxTokens) * BYTES_PER_TOKEN
  for (let count = observation.samples.length; ; count--) {
    const user = userPrompt({ ...observation, samples: observation.samples.slice(0, count) }, fence)
    if (count <= 1 || Buffer.byteLength(system) + Buffer.byteLength(user) <= bytes) return user
  }
}

/** Models that cannot be held to a form put JSON between other words, or into a block of Markdown. */
function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text.slice(text.indexOf('{'), text.lastIndexOf('}') + 1))
  } catch {
    return undefined
  }
}
