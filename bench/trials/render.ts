import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { Payload } from '../../src/domain/incident.ts'
import { compile } from '../../src/render/compile.ts'
import type { CompiledTemplate } from '../../src/render/template.ts'

interface Sample {
  readonly id: string
  readonly template: CompiledTemplate
  readonly payload: Payload
  readonly bytes: Buffer
}

const GOLDEN = new URL('../../test/render/golden.jsonl', import.meta.url)
const LARGEST = 3
const WARM_UP_MS = 300
const BATCH = 100

/** The largest realistic templates, each with the payload it comes with. */
function samples(): Sample[] {
  const cases = readFileSync(GOLDEN, 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as { id: string; group: string; template: string; data: Payload; out?: string })
  const realistic = cases.filter(({ group, out }) => group === 'realistic' && out !== undefined)
  const texts = new Map(realistic.toReversed().map((one) => [one.template, one]))
  const largest = [...texts.values()].sort((a, b) => b.template.length - a.template.length).slice(0, LARGEST)
  return largest.map(({ id, template, data }) => ({
    id,
    template: compile(
      { file: `${id}.tmpl`, text: template },
      { escaping: 'html', env: () => undefined, now: () => new Date(0) },
    ),
    payload: data,
    bytes: Buffer.from(JSON.stringify(data)),
  }))
}

/** Renderings a second on one thread: templates compiled beforehand, payloads decoded beforehand and decoded each time. */
export async function render({ seconds }: { seconds: number }): Promise<{ name: string; perSecond: number }[]> {
  const works = samples().flatMap(({ id, template, payload, bytes }) => [
    { name: `${id}, payload decoded`, work: () => template(payload) },
    { name: `${id}, with JSON.parse`, work: () => template(JSON.parse(bytes.toString()) as Payload) },
  ])
  return works.map(({ name, work }) => {
    perSecond(work, WARM_UP_MS)
    return { name, perSecond: Math.round(perSecond(work, (seconds * 1000) / works.length)) }
  })
}

function perSecond(work: () => string, durationMs: number): number {
  let count = 0
  let characters = 0
  const start = performance.now()
  let now = start
  while (now - start < durationMs) {
    for (let at = 0; at < BATCH; at++) characters += work().length
    count += BATCH
    now = performance.now()
  }
  if (characters === 0) throw new Error('nothing was rendered')
  return (count / (now - start)) * 1000
}

if (process.argv[1] === fileURLToPath(import.meta.url)) console.table(await render({ seconds: 6 }))
