import { rssBytes } from './proc.ts'

/**
 * Samples the resident memory of a process, at once and then every `everyMs`, until `stop` returns the samples in
 * bytes. Safe to stop twice.
 */
export function watchRss(pid: number, everyMs: number): { stop(): readonly number[] } {
  const samples: number[] = []
  const sample = () => void samples.push(rssBytes(pid))
  sample()
  const timer = setInterval(sample, everyMs)
  return {
    stop() {
      clearInterval(timer)
      return samples
    },
  }
}
