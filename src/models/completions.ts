import { OpenAI } from 'openai'
import { modelFetch } from './egress.ts'
import { failureOf } from './failure.ts'
import { type Model, ModelFailure, type ModelRequest } from './model.ts'
import { type AskOptions, FIXED } from './options.ts'

/** Reasoning models, which accept no temperature. */
const REASONING = /^(?:o\d|gpt-5)/

/** Chat completions of OpenAI, of Azure, and of servers that speak like them. */
export function completions(options: AskOptions): Model {
  const { provider, url, apiKey, model, temperature, maxTokens, schema: how } = options
  const client = new OpenAI({
    // A server of one's own may need no key; the client refuses an empty one.
    apiKey: apiKey || 'none',
    baseURL: provider === 'openai' ? FIXED.openai : url,
    organization: null,
    project: null,
    adminAPIKey: null,
    webhookSecret: null,
    maxRetries: 0,
    logLevel: 'off' as const,
    fetch: modelFetch(options),
    // Azure takes a key in a header of its own.
    ...(provider === 'azure_openai' ? { defaultHeaders: { authorization: null, 'api-key': apiKey } } : {}),
  })
  return {
    async ask({ system, user, schema }, signal) {
      try {
        const answer = await client.chat.completions.create(
          {
            model,
            messages: [
              { role: 'system', content: how === 'json_schema' ? system : `${system}\n\n${formInWords(schema)}` },
              { role: 'user', content: user },
            ],
            ...formOf(how, schema),
            // Other servers know the older name only.
            ...(provider === 'openai_compatible' ? { max_tokens: maxTokens } : { max_completion_tokens: maxTokens }),
            ...(REASONING.test(model) || temperature < 0 ? {} : { temperature }),
          },
          { signal },
        )
        // The client does not check what it is answered.
        const choice: (typeof answer.choices)[number] | undefined = answer?.choices?.[0]
        if (!choice?.message) throw new Error('the answer has not the form that this provider answers with')
        const { message, finish_reason } = choice
        const text: unknown = message.content ?? message.refusal ?? ''
        const said = {
          text: typeof text === 'string' ? text : JSON.stringify(text),
          model: answer.model || model,
          tokens: answer.usage?.total_tokens ?? 0,
        }
        if (message.refusal) throw new ModelFailure('refused', 'the model refused to answer', said)
        if (finish_reason === 'length')
          throw new ModelFailure('cut', 'the answer was cut: give agent.ai.max_tokens more tokens', said)
        return said
      } catch (error) {
        throw failureOf(error, { apiKey, signal })
      }
    },
  }
}

/** The form of the answer, for servers that can be asked for one. */
function formOf(how: AskOptions['schema'], schema: ModelRequest['schema']) {
  if (how === 'json_schema')
    return {
      response_format: { type: 'json_schema' as const, json_schema: { name: 'finding', strict: true, schema } },
    }
  return how === 'json_object' ? { response_format: { type: 'json_object' as const } } : {}
}

const formInWords = (schema: ModelRequest['schema']) =>
  `Answer with one JSON object and nothing else. It fits this JSON schema:\n${JSON.stringify(schema)}`
