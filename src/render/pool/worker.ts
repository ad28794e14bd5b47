import { workerData } from 'node:worker_threads'
import { LRUCache } from 'lru-cache'
import { CodedError } from '../../domain/errors.ts'
import type { Payload } from '../../domain/incident.ts'
import { errorText } from '../../text/error-text.ts'
import { type ChannelPrinter, createPrinter, type PrintedText } from '../templates/channel-printer.ts'
import { TemplateSyntaxError } from '../templates/template.ts'
import { fitWithLine } from '../text/fallback.ts'
import type { Fitted } from '../text/fit.ts'
import { addFacts, type IncidentFacts, incidentLink } from '../text/incident-facts.ts'
import { toRenderFailure } from './batch.ts'
import { ENDED, type RenderAnswer, type RenderFailure, type RenderTask, type RenderThreadData } from './protocol.ts'

/** Number of cached templates: enough for all channels and the last previews. */
const MAX_COMPILED = 32

const { env, publicHost }: RenderThreadData = workerData
const compiled = new LRUCache<number, ChannelPrinter>({ max: MAX_COMPILED })
/** Of the current task; epoch milliseconds. */
let now = 0
const utf8 = new TextDecoder('utf-8', { ignoreBOM: true })

/**
 * Entry point that piscina calls. Renders the items of a task in order and stores the current item's number in
 * `progress`.
 */
export default function renderTask(task: RenderTask): RenderAnswer {
  now = task.now
  try {
    return renderItems(task, compiledOf(task))
  } catch (error) {
    return { kind: 'invalid', failure: failureOf(error), report: errorText(error) }
  } finally {
    Atomics.store(task.progress, 0, ENDED)
  }
}

function compiledOf({ version, source, rules }: RenderTask): ChannelPrinter {
  const known = compiled.get(version)
  if (known) return known
  const printer = createPrinter(source, {
    rules,
    env: (name) => (Object.hasOwn(env, name) ? env[name] : undefined),
    now: () => new Date(now),
  })
  compiled.set(version, printer)
  return printer
}

function renderItems(task: RenderTask, print: ChannelPrinter): RenderAnswer {
  const facts: readonly IncidentFacts[] = JSON.parse(task.facts)
  const texts: (string | null)[] = []
  const subjects: (string | undefined)[] = []
  const failures: (RenderFailure | undefined)[] = []
  const cuts: number[] = []
  const renderMs: number[] = []
  const startMs = performance.now()
  let fromMs = startMs
  for (const [n, known] of facts.entries()) {
    if (fromMs - startMs > task.turnMs) break
    Atomics.store(task.progress, 0, n + 1)
    try {
      const { text, subject, cut } = renderItem(task, print, { n, facts: known })
      texts.push(text)
      if (cut) cuts.push(n)
      if (subject !== undefined) subjects[n] = subject
    } catch (error) {
      texts.push(null)
      failures[n] = failureOf(error)
    }
    const nowMs = performance.now()
    renderMs.push(nowMs - fromMs)
    fromMs = nowMs
  }
  return {
    kind: 'rendered',
    texts,
    renderMs,
    cuts,
    ...(subjects.length > 0 && { subjects }),
    ...(failures.length > 0 && { failures }),
  }
}

function renderItem(
  task: RenderTask,
  print: ChannelPrinter,
  item: { n: number; facts: IncidentFacts },
): PrintedText & Fitted {
  const { payloads, ends, ackUrls, lines, rules } = task
  const { n, facts } = item
  const payload: Payload = JSON.parse(utf8.decode(payloads.subarray(ends[n - 1] ?? 0, ends[n])))
  const ackUrl = ackUrls[n]
  // Removes an AckURL of the payload, so that it cannot pose as the acknowledge link.
  if (ackUrl === undefined) delete payload.AckURL
  else payload.AckURL = ackUrl
  addFacts(payload, facts)
  const printed = print(payload)
  return {
    ...printed,
    ...fitWithLine(printed.text, lines?.[n] ?? undefined, rules, incidentLink(publicHost, facts.id)),
  }
}

function failureOf(error: unknown): RenderFailure {
  // Without the excerpt of the template, which is useless on one line.
  if (error instanceof TemplateSyntaxError)
    return toRenderFailure(error.code, `${error.file}:${error.line}:${error.column}: ${error.reason}`)
  if (error instanceof CodedError) return toRenderFailure(error.code, error.message)
  return toRenderFailure('template_failed', errorText(error))
}
