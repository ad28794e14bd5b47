import type { Payload } from '../../domain/incident.ts'
import { errorText } from '../../text/error-text.ts'
import type { Sample } from '../samples/sample.ts'
import { sampleData } from '../samples/sample-data.ts'
import { SAMPLES } from '../samples/samples.ts'
import { type Fitted, fit } from '../text/fit.ts'
import type { RecognizedFields } from '../text/incident-facts.ts'
import { createPrinter } from './channel-printer.ts'
import type { ChannelTemplate } from './template.ts'

const NO_ENV = () => undefined
const ANY_INCIDENT = 'incident 00000000-0000-7000-8000-000000000000'

/**
 * Renders every template with every sample, on this thread and without a deadline. Returns a warning for each text that
 * failed, is empty or is too long.
 * @param recognise the intake's function, which reads the facts of a payload
 */
export function sampleWarnings(
  templates: readonly ChannelTemplate[],
  recognise: (payload: Payload) => RecognizedFields,
  samples: readonly Omit<Sample, 'sender'>[] = SAMPLES,
): string[] {
  return templates.flatMap(({ source, rules }) => {
    try {
      const print = createPrinter(source, { rules, env: NO_ENV })
      return samples.flatMap(({ name, payload }) => {
        const text = () => fit(print(sampleData(payload, recognise(payload))).text, rules, ANY_INCIDENT)
        return warningsOf(name, text).map((warning) => `${source.file}: ${warning}`)
      })
    } catch (error) {
      return [errorText(error)]
    }
  })
}

function warningsOf(sample: string, text: () => Fitted): string[] {
  try {
    const fitted = text()
    if (fitted.text.trim() === '') return [`prints nothing for the sample "${sample}"`]
    return fitted.cut ? [`the text for the sample "${sample}" is too long for the channel`] : []
  } catch (error) {
    return [`the sample "${sample}" failed: ${errorText(error)}`]
  }
}
