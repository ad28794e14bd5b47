import { z } from 'zod'
import { type Model, ModelFailure } from './model.ts'
import type { AskOptions } from './options.ts'
import { poster } from './post.ts'

const Answer = z.object({
  model: z.string(),
  message: z.object({ content: z.string() }),
  done_reason: z.string().optional(),
  prompt_eval_count: z.number().default(0),
  eval_count: z.number().default(0),
})

/**
 * Ollama over its own API: its OpenAI form ignores the size of the context, and cuts a longer prompt without an error.
 */
export function ollama({ url, apiKey, model, context, allowPrivate, temperature, maxTokens }: AskOptions): Model {
  const post = poster({ url: `${url}/api/chat`, headers: {}, apiKey, allowPrivate, answer: Answer })
  return {
    async ask({ system, user, schema }, signal) {
      const answer = await post(
        {
          model,
          messages: [
            { role: 'system', content: system },
            { role: 'user', content: user },
          ],
          stream: false,
          think: false,
          format: schema,
          options: { num_ctx: context, num_predict: maxTokens, ...(temperature < 0 ? {} : { temperature }) },
        },
        signal,
      )
      const said = {
        text: answer.message.content,
        model: answer.model,
        tokens: answer.prompt_eval_count + answer.eval_count,
      }
      if (answer.done_reason === 'length')
        throw new ModelFailure('cut', 'the answer was cut: give agent.ai.max_tokens or context more tokens', said)
      return said
    },
  }
}
