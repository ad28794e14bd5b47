import type { Payload } from '../../domain/incident.ts'
import type { ItemResult } from '../pool/batch.ts'
import type { RenderPool } from '../pool/pool.ts'
import type { Sample } from '../samples/alerts.ts'
import { AGENT, SAMPLES, sampleFacts } from '../samples/samples.ts'
import type { RecognizedFields } from '../text/incident-facts.ts'
import type { ChannelTemplate } from './template.ts'

/** An action that calls `env` with a literal, or is piped into it. */
const ENV = /\{\{[^}]*?(?:\benv\s+["'`](\w+)["'`]|["`](\w+)["`]\s*\|\s*env\b)/g

/** Returns a warning for each environment variable that a template reads and that it may not read. */
export function environmentWarnings(templates: readonly ChannelTemplate[], allowed: readonly string[]): string[] {
  const found = templates.flatMap(({ source }) =>
    [source, ...(source.shared ?? [])].flatMap(({ file, text }) =>
      Array.from(text.matchAll(ENV), ([, called, piped]) => ({ file, name: called ?? piped ?? '' })),
    ),
  )
  const denied = found.filter(({ name }) => !allowed.includes(name))
  return [...new Set(denied.map(({ file, name }) => `${file}: reads ${name}, which is empty: ${ADVICE}`))]
}
const ADVICE = 'templates.env_allow does not list it'

/**
 * Yields a warning for each channel whose template for incidents of the log agent prints nothing of a finding. Rejects
 * with shutting_down when the pool is closed meanwhile.
 * @param recognise the intake's function, which reads the facts of a payload
 */
export async function* agentWarnings(
  pool: Pick<RenderPool, 'templates' | 'renderSample'>,
  recognise: (payload: Payload) => RecognizedFields,
): AsyncGenerator<string> {
  const [payload = {}] = AGENT.map((sample) => sample.payload)
  const item = { content: Buffer.from(JSON.stringify(payload)), facts: sampleFacts(recognise(payload)) }
  const templates = pool.templates()
  for (const { channel, source } of templates.filter(({ only }) => only === undefined)) {
    const own = templates.find((each) => each.channel === channel && each.only === 'agent')?.source.file
    const result = await pool.renderSample(channel, { ...item, ...(own !== undefined && { template: own }) })
    if (result.kind === 'failure' || SAID.some((key) => result.text.includes(String(payload[key])))) continue
    yield `${own ?? source.file}: prints nothing of a finding of the log agent: give it a branch for {{ if eq .Source "AI Agent" }}, or the channel an agent_template_path`
  }
}
/** Fields of the sample without a character that is escaped. */
const SAID = ['AlertName', 'Summary', 'PatternID']

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
