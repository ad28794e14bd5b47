import type { Payload } from '../../domain/incident.ts'
import type { ItemResult } from '../pool/batch.ts'
import type { RenderPool } from '../pool/pool.ts'
import type { Sample } from '../samples/sample.ts'
import { sampleFacts } from '../samples/sample-data.ts'
import { SAMPLES } from '../samples/samples.ts'
import type { RecognizedFields } from '../text/incident-facts.ts'

/**
 * Renders every sample with every template of the pool, one at a time, and yields a warning for each text that failed,
 * is empty or is too long. Rejects with shutting_down when the pool is closed meanwhile.
 * @param recognise the intake's function, which reads the facts of a payload
 */
export async function* sampleWarnings(
  pool: Pick<RenderPool, 'templates' | 'renderSample'>,
  recognise: (payload: Payload) => RecognizedFields,
  samples: readonly Omit<Sample, 'sender'>[] = SAMPLES,
): AsyncGenerator<string> {
  for (const { channel, source, only } of pool.templates()) {
    for (const { name, payload } of samples) {
      const content = Buffer.from(JSON.stringify(payload))
      const facts = sampleFacts(recognise(payload))
      if (only === 'agent' && facts.sender !== 'agent') continue
      const item = { content, facts, ...(only && { template: source.file }) }
      const result = await pool.renderSample(channel, item)
      const warning = warningOf(name, result)
      if (warning !== undefined) yield `${source.file}: ${warning}`
    }
  }
}

function warningOf(sample: string, result: ItemResult): string | undefined {
  if (result.kind === 'failure') return `the sample "${sample}" failed: ${result.failure.message}`
  if (result.text.trim() === '') return `prints nothing for the sample "${sample}"`
  return result.cut ? `the text for the sample "${sample}" is too long for the channel` : undefined
}
