import type { SystemPromptAnswer } from '../../../src/api/agent/agent.ts'
import { useResource } from '../../api/resource.ts'
import { Pending } from '../../ui/empty.tsx'

/** The system prompt, which precedes every question to the model. */
export function SystemPrompt() {
  const prompt = useResource<SystemPromptAnswer>('/api/agent/ai/system-prompt')
  if (prompt.value === undefined) return <Pending of={prompt} lines={10} />
  return (
    <section class="card">
      <pre class="break">{prompt.value.system_prompt}</pre>
    </section>
  )
}
