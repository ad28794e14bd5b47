import type { Results } from '../results.ts'
import { performancePage } from './performance.ts'
import { ingestPlot, latencyPlot } from './plots.ts'

/**
 * Returns the text of each generated document by its path from the root. A plot is left out while its trial has no
 * figures.
 */
export function generatedDocs(results: Results): { readonly [path: string]: string } {
  const { ingest, latency } = results.trials
  return {
    'docs/performance.md': performancePage(results),
    ...(ingest && { 'docs/pictures/ingest.svg': ingestPlot(ingest) }),
    ...(latency && { 'docs/pictures/latency.svg': latencyPlot(latency) }),
  }
}
