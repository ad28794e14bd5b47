import { z } from 'zod'
import { type Model, ModelFailure } from './model.ts'
import { type AskOptions, FIXED } from './options.ts'
import { poster } from './post.ts'

const VERSION = '2023-06-01'
const TOOL = 'answer'

const Answer = z.object({
  model: z.string(),
  stop_reason: z.string().nullable(),
  content: z.array(z.looseObject({ type: z.string(), text: z.string().optional(), input: z.unknown().optional() })),
  usage: z.object({ input_tokens: z.number(), output_tokens: z.number() }),
})

/** Anthropic's messages, with one tool that the model has to call and whose input is the answer. */
export function anthropic({ apiKey, model, allowPrivate, temperature, maxTokens }: AskOptions): Model {
  const headers = { 'x-api-key': apiKey, 'anthropic-version': VERSION }
  const post = poster({ url: `${FIXED.anthropic}/messages`, headers, apiKey, allowPrivate, answer: Answer })
  return {
    async ask({ system, user, schema }, signal) {
      const { content, stop_reason, usage, ...answer } = await post(
        {
          model,
          max_tokens: maxTokens,
          system,
          messages: [{ role: 'user', content: user }],
          tools: [{ name: TOOL, description: 'Takes the answer.', input_schema: schema }],
          tool_choice: { type: 'tool', name: TOOL },
          // Anthropic takes 0 to 1 where others take 0 to 2.
          ...(temperature < 0 ? {} : { temperature: Math.min(temperature, 1) }),
        },
        signal,
      )
      const called = content.find(({ type }) => type === 'tool_use')
      const text = called ? JSON.stringify(called.input) : content.map((each) => each.text ?? '').join('')
      const said = { text, model: answer.model, tokens: usage.input_tokens + usage.output_tokens }
      if (stop_reason === 'max_tokens')
        throw new ModelFailure('cut', 'the answer was cut: give agent.ai.max_tokens more tokens', said)
      if (stop_reason === 'refusal') throw new ModelFailure('refused', 'the model refused to answer', said)
      return said
    },
  }
}
