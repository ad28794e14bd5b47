import type { OpenAI } from 'openai'
import { type AnalysisBackend, AnalysisFailure, type CallResult, type Observation, type Prompts } from './contract.ts'
import { FINDING_SCHEMA, findingOf } from './finding.ts'
import type { OpenAIOptions } from './options.ts'
import { newFence, systemPrompt, userPrompt } from './prompt.ts'

/** Address of OpenAI's API. Neither the configuration nor the environment can change it. */
const ENDPOINT = 'https://api.openai.com/v1'
/** Reasoning models, which accept no temperature. */
const REASONING = /^(?:o\d|gpt-5)/

/** Creates the OpenAI backend. Sends one request per analysis, without retries. The first request loads the client. */
export function openaiBackend(options: OpenAIOptions): AnalysisBackend {
  const system = systemPrompt()
  let client: Promise<OpenAI> | undefined
  return {
    async analyze(observation: Observation, signal: AbortSignal): Promise<CallResult> {
      const prompts = { system, user: userPrompt(observation, newFence()) }
      const startedAt = performance.now()
      client ??= createClient(options.apiKey)
      const answered = await requestCompletion(await client, { options, prompts, signal })
      const call = { ...answered, prompts, durationMs: performance.now() - startedAt }
      return { ...call, finding: parsed(call) }
    },
  }
}

async function createClient(apiKey: string): Promise<OpenAI> {
  const [{ OpenAI }, { EnvHttpProxyAgent, fetch }] = await Promise.all([import('openai'), import('undici')])
  const dispatcher = new EnvHttpProxyAgent()
  return new OpenAI({
    apiKey,
    baseURL: ENDPOINT,
    organization: null,
    project: null,
    adminAPIKey: null,
    webhookSecret: null,
    maxRetries: 0,
    logLevel: 'off' as const,
    fetch: (url, init) =>
      fetch(url as string, { ...(init as object), dispatcher, redirect: 'error' }) as unknown as Promise<Response>,
  })
}

interface ModelRequest {
  readonly options: OpenAIOptions
  readonly prompts: Prompts
  readonly signal: AbortSignal
}

async function requestCompletion(
  client: OpenAI,
  { options, prompts, signal }: ModelRequest,
): Promise<{ rawResponse: string; model: string }> {
  const { model, temperature, maxTokens } = options
  try {
    const answer = await client.chat.completions.create(
      {
        model,
        messages: [
          { role: 'system', content: prompts.system },
          { role: 'user', content: prompts.user },
        ],
        response_format: {
          type: 'json_schema',
          json_schema: { name: 'finding', strict: true, schema: { ...FINDING_SCHEMA } },
        },
        max_completion_tokens: maxTokens,
        ...(REASONING.test(model) || temperature < 0 ? {} : { temperature }),
      },
      { signal },
    )
    const message = answer.choices[0]?.message
    const answered = { rawResponse: message?.content ?? message?.refusal ?? '', model: answer.model || model }
    if (message?.refusal) throw new AnalysisFailure('refused', 'the model refused to answer', { ...answered, prompts })
    return answered
  } catch (error) {
    if (error instanceof AnalysisFailure) throw error
    if (signal.aborted) throw new AnalysisFailure('timeout', 'the model did not answer in time', { prompts, model })
    throw new AnalysisFailure('failed', reasonOf(error), { prompts, model })
  }
}

function parsed({ rawResponse, ...call }: Omit<CallResult, 'finding'>) {
  let answer: unknown
  try {
    answer = JSON.parse(rawResponse)
  } catch {
    answer = undefined
  }
  const finding = findingOf(answer)
  if (finding) return finding
  throw new AnalysisFailure('unparsable', 'the model did not answer with a finding', { ...call, rawResponse })
}

const MAX_REASON = 500

/** Returns the messages of an error and its causes; the reason of a failed connection is in a cause. */
function reasonOf(error: unknown): string {
  const reasons: string[] = []
  for (let at = error; at instanceof Error && reasons.length < 4; at = at.cause) {
    const code = 'code' in at && typeof at.code === 'string' ? at.code : ''
    reasons.push([code, at.message].filter((part) => part !== '').join(' '))
  }
  // OpenAI's error messages contain parts of the key.
  return ([...new Set(reasons)].join(': ') || 'the call failed')
    .replace(/\bsk-[^\s"']+/g, 'sk-***')
    .slice(0, MAX_REASON)
}
