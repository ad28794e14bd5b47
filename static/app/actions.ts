import { useSignal } from '@preact/signals'
import { attempt } from './notices.tsx'

/**
 * Runs the actions of a component by their names, each once at a time, and shows the text with which they resolve, or
 * their error. `changed` is called after each.
 */
export function useActions(changed: () => void) {
  const running = useSignal<readonly string[]>([])
  const run = async (name: string, work: () => Promise<string>) => {
    if (running.peek().includes(name)) return
    running.value = [...running.peek(), name]
    await attempt(work, (text) => text)
    running.value = running.peek().filter((each) => each !== name)
    changed()
  }
  return {
    busy: (name: string) => running.value.includes(name),
    run: (name: string, work: () => Promise<string>) => void run(name, work),
  }
}
