import type { Preview } from '../../api/templates.ts'
import type { TextRules } from '../../domain/delivery/message.ts'
import type { Notice } from '../../domain/delivery/notice.ts'
import { CodedError, ERRORS } from '../../domain/errors.ts'
import { parseObject } from '../../text/json-object.ts'
import type { ChannelTemplate } from '../templates/template.ts'
import { type FallbackText, fallback, withLine, withRoomForLine } from '../text/fallback.ts'
import { type IncidentFacts, incidentLink } from '../text/incident-facts.ts'
import { noticeText } from '../text/notice-text.ts'
import { Batch, type ItemResult, toRenderFailure } from './batch.ts'
import { FairSemaphore } from './fair-semaphore.ts'
import { newProgress, type RenderFailure, type RenderTask } from './protocol.ts'
import { RenderThreads, type ThreadsOptions, type TurnEnd } from './threads.ts'

export interface RenderItem {
  /** The payload, a JSON object in UTF-8. It is copied. */
  readonly content: Uint8Array
  /** The template's `.Tocsin`. */
  readonly facts: IncidentFacts
  /** The template's `.AckURL`. */
  readonly ackUrl?: string
  /** Path of the template of a route or of the log agent; absent, or not loaded any more: the channel's own. */
  readonly template?: string
  /** A line at the end of the text, never cut: plain text. */
  readonly lastLine?: string
  /** A notice or follow-up. It is printed without a template. */
  readonly notice?: Notice
}

export interface Rendered {
  /** Escaped and fitted to the channel's limit. */
  readonly text: string
  readonly subject?: string
  /** Reason why `text` is the fallback, as `code: sentence`; absent when the template succeeded. */
  readonly failure?: string
  readonly renderMs: number
}

interface RenderPoolOptions extends ThreadsOptions {
  /** Templates to begin with, used as they are: one that does not parse yields fallbacks. */
  readonly templates: readonly ChannelTemplate[]
  /** Epoch milliseconds; absent: the machine's clock. */
  readonly now?: () => number
  /** Called for every item whose text is the fallback. */
  readonly onFallback?: (channel: string, failure: string) => void
}

/** A template and its version number, under which render threads cache the compiled template. */
interface TemplateVersion extends ChannelTemplate {
  readonly version: number
}

/** Semaphore key of compiling and of samples: items of a channel wait for at most one of these for each thread. */
const AHEAD_KEY = '(ahead)'
const MAX_ITEMS = 64
/** Maximum bytes of payloads in one batch; a single larger item is a batch of its own. */
const MAX_BYTES = 1024 * 1024

/** Renders incidents on threads that can be terminated. Every item gets a text, also when its template fails. */
export class RenderPool {
  readonly #options: RenderPoolOptions
  readonly #templateVersions = new Map<string, TemplateVersion>()
  readonly #threads: RenderThreads
  readonly #semaphore: FairSemaphore
  #lastVersion = 0

  constructor(options: RenderPoolOptions) {
    this.#options = options
    this.#threads = new RenderThreads(options)
    this.#semaphore = new FairSemaphore(this.#threads.size)
    for (const template of options.templates) this.#set(this.#numbered(template))
  }

  /**
   * Renders items with the template of a channel. Returns one result per item, in order. Rejects with not_found for a
   * channel without a template, and with shutting_down; a failing template yields fallbacks.
   */
  async render(channel: string, items: readonly RenderItem[]): Promise<readonly Rendered[]> {
    const batches = await Promise.all(
      toBatches(items).map((batch) => this.#renderItems(this.#templateVersion(channel, batch[0]?.template), batch)),
    )
    return batches.flat()
  }

  /**
   * Renders one item with the template of a channel, or that of the item, or with a given template. Rejects with template_invalid when it
   * does not parse, and with not_found, shutting_down. An error while rendering is a warning, and the text is the
   * fallback.
   * @param text replaces the template's text; its dialect and shared definitions stay
   */
  async preview(channel: string | ChannelTemplate, item: RenderItem, text?: string): Promise<Preview> {
    const inUse = typeof channel === 'string' ? this.#templateVersion(channel, item.template) : this.#numbered(channel)
    const templateVersion = text === undefined ? inUse : this.#numbered({ ...inUse, source: { ...inUse.source, text } })
    const [result] = await this.#renderAll(templateVersion, [item])
    if (result?.kind === 'failure' && result.failure.code === 'template_invalid')
      throw new CodedError('template_invalid', result.failure.message)
    const { text: printed, subject, failure } = this.#toRendered(templateVersion, item, result)
    const warnings = failure === undefined ? [] : [failure]
    if (result?.kind === 'text' && result.cut) warnings.push('the text is longer than the channel allows and was cut')
    return { text: printed, ...(subject !== undefined && { subject }), warnings }
  }

  /** Returns the templates in use. */
  templates(): readonly ChannelTemplate[] {
    return [...this.#templateVersions.values()]
  }

  /**
   * Compiles a template on a render thread, then sets it for later calls of `render`. Rejects with template_invalid when
   * it does not parse, and with shutting_down; the one before stays in use. A thread that ends meanwhile is no error of
   * the template.
   */
  async use(template: ChannelTemplate): Promise<void> {
    const templateVersion = this.#numbered(template)
    const end = await this.#semaphore.run(AHEAD_KEY, () => this.#runTurn(templateVersion, []))
    if (end.kind === 'invalid') throw new CodedError('template_invalid', end.report)
    this.#set(templateVersion)
  }

  /**
   * Renders one sample with the template of a channel. It takes its turn beside the channels, so that an item waits for
   * at most one sample. Rejects as `render` does.
   */
  async renderSample(channel: string, item: RenderItem): Promise<ItemResult> {
    const [result] = await this.#renderAll(this.#templateVersion(channel, item.template), [item], AHEAD_KEY)
    return result ?? NO_RESULT
  }

  /**
   * Rejects waiting and later calls with shutting_down. Resolves when running renderings have ended, within their
   * deadlines.
   */
  async close(): Promise<void> {
    await this.#semaphore.close()
    await this.#threads.close()
  }

  #numbered({ channel, source, rules, only }: ChannelTemplate): TemplateVersion {
    return { channel, source, rules, ...(only && { only }), version: ++this.#lastVersion }
  }

  #set(templateVersion: TemplateVersion): void {
    const { channel, source, only } = templateVersion
    this.#templateVersions.set(only ? keyOf(channel, source.file) : channel, templateVersion)
  }

  #runTurn(templateVersion: TemplateVersion, items: readonly RenderItem[]): Promise<TurnEnd> {
    const { deadlineMs, now = Date.now } = this.#options
    return this.#threads.run(taskOf(templateVersion, items, { turnMs: deadlineMs, now: now() }))
  }

  #templateVersion(channel: string, file?: string): TemplateVersion {
    const chosen = file === undefined ? undefined : this.#templateVersions.get(keyOf(channel, file))
    const templateVersion = chosen ?? this.#templateVersions.get(channel)
    if (!templateVersion) throw new CodedError('not_found', `no template for the channel ${channel}`)
    return templateVersion
  }

  async #renderItems(templateVersion: TemplateVersion, items: readonly RenderItem[]): Promise<readonly Rendered[]> {
    const results = await this.#renderAll(
      templateVersion,
      items.filter(({ notice }) => notice === undefined),
    )
    let at = 0
    const { rules } = templateVersion
    return items.map((item) => {
      const { notice, lastLine, ackUrl } = item
      if (notice) {
        const addresses = { publicHost: this.#options.publicHost, ackUrl }
        const text = noticeText(notice, withRoomForLine(lastLine, rules), addresses)
        return { ...withLine(text, lastLine, rules), renderMs: 0 }
      }
      const rendered = this.#toRendered(templateVersion, item, results[at++])
      if (rendered.failure !== undefined) this.#options.onFallback?.(templateVersion.channel, rendered.failure)
      return rendered
    })
  }

  async #renderAll(
    templateVersion: TemplateVersion,
    items: readonly RenderItem[],
    key = templateVersion.channel,
  ): Promise<readonly ItemResult[]> {
    const batch = new Batch(items, this.#options.deadlineMs)
    for (let next = batch.next(); next.length > 0; next = batch.next())
      batch.endTurn(await this.#semaphore.run(key, () => this.#runTurn(templateVersion, next)))
    return batch.results
  }

  #toRendered({ rules }: TemplateVersion, item: RenderItem, result: ItemResult | undefined): Rendered {
    if (result?.kind === 'text') {
      const { text, subject, renderMs } = result
      return { text, ...(subject !== undefined && { subject }), renderMs }
    }
    const { failure, renderMs } = result ?? NO_RESULT
    return { ...this.#fallback(rules, item, failure), failure: `${failure.code}: ${failure.message}`, renderMs }
  }

  #fallback(rules: TextRules, item: RenderItem, failure: RenderFailure): FallbackText {
    const { facts, content, ackUrl, lastLine } = item
    const link = incidentLink(this.#options.publicHost, facts.id)
    const text = fallback(facts, parseObject(new TextDecoder().decode(content)) ?? {}, {
      rules: withRoomForLine(lastLine, rules),
      failure: failure.message,
      link,
      ...(ackUrl && { ackUrl }),
    })
    return withLine(text, lastLine, rules)
  }
}

const NO_RESULT: Extract<ItemResult, { kind: 'failure' }> = {
  kind: 'failure',
  failure: toRenderFailure('internal', ERRORS.internal.message),
  renderMs: 0,
}

const keyOf = (channel: string, file: string) => `${channel} ${file}`

/** All items of a batch have one template. */
function toBatches(items: readonly RenderItem[]): RenderItem[][] {
  const batches: RenderItem[][] = []
  let batch: RenderItem[] = []
  let bytes = 0
  for (const item of items) {
    const full = batch.length === MAX_ITEMS || bytes + item.content.length > MAX_BYTES
    if (batch.length > 0 && (full || batch[0]?.template !== item.template)) {
      batches.push(batch)
      batch = []
      bytes = 0
    }
    batch.push(item)
    bytes += item.content.length
  }
  if (batch.length > 0) batches.push(batch)
  return batches
}

function taskOf(
  { version, source, rules }: TemplateVersion,
  items: readonly RenderItem[],
  times: Pick<RenderTask, 'turnMs' | 'now'>,
): RenderTask {
  const ends: number[] = []
  let size = 0
  for (const { content } of items) {
    size += content.length
    ends.push(size)
  }
  const payloads = new Uint8Array(size)
  for (const [n, { content }] of items.entries()) payloads.set(content, ends[n - 1] ?? 0)
  const facts = JSON.stringify(items.map((item) => item.facts))
  const ackUrls = items.map(({ ackUrl }) => ackUrl)
  const task = { version, source, rules, payloads, ends, facts, ackUrls, ...times, progress: newProgress() }
  const hasLines = items.some(({ lastLine }) => lastLine !== undefined)
  return hasLines ? { ...task, lines: items.map(({ lastLine }) => lastLine) } : task
}
