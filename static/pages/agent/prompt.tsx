import { useResource } from '../../api/resource.ts'
import { Trouble, Waiting } from '../../ui/empty.tsx'

/** What the model is told before every question. */
export function SystemPrompt() {
  const prompt = useResource<{ readonly system_prompt: string }>('/api/agent/ai/system-prompt')
  const { value, error } = prompt.state.value
  if (value === undefined)
    return error ? <Trouble error={error} again={() => void prompt.load()} /> : <Waiting lines={10} />
  return (
    <section class="card">
      <pre class="prompt">{value.system_prompt}</pre>
    </section>
  )
}
