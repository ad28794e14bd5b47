import assert from 'node:assert/strict'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import type { Provider } from '../../src/simulator/index.ts'
import { configFile, folder } from '../harness/config-file.ts'
import { startProcess } from '../harness/process.ts'
import { twoChannels } from '../harness/providers.ts'
import { post } from '../harness/requests.ts'
import { startTestSystem } from '../harness/system.ts'
import { watchThreads } from '../harness/threads.ts'

test('kill -9 in the middle of 5,000 posts: all that was answered 201 arrives after a restart', async (t) => {
  const { chat, flow, alert } = await twoChannels(t)
  const file = configFile(folder(), { alert, log: { level: 'info' } })
  const first = await startProcess(t, file)
  const burst = new Burst(first.url, 5_000)
  await burst.accepted(1_500)
  first.child.kill('SIGKILL')
  await burst.ended()
  assert.ok(burst.marks.size < 5_000, 'the kill came in the middle')

  await startProcess(t, file)
  await everyMark(burst.marks, chat)
  await everyMark(burst.marks, flow)
})

test('SIGTERM answers 503, finishes what is under way and exits 0; nothing accepted is lost', async (t) => {
  const { chat, flow, alert } = await twoChannels(t)
  const gate = Promise.withResolvers<void>()
  flow.script = () => ({ status: 202, after: gate.promise })
  const file = configFile(folder(), { alert, log: { level: 'info' } })
  const first = await startProcess(t, file)
  const burst = new Burst(first.url, 400)
  await burst.ended()
  await flow.waitFor(() => true)
  const exit = once(first.child, 'exit')
  first.child.kill('SIGTERM')
  await refusal(first.url)
  gate.resolve()
  assert.deepEqual(await exit, [0, null])

  flow.script = undefined
  await startProcess(t, file)
  await everyMark(burst.marks, chat)
  await everyMark(burst.marks, flow)
})

for (const victim of ['store', 'send'] as const) {
  test(`the ${victim} thread is killed under load: it is started again and nothing accepted is lost`, async (t) => {
    const { chat, flow, alert } = await twoChannels(t)
    const threads = watchThreads(t)
    const system = await startTestSystem(t, configFile(folder(), { alert }))
    const burst = new Burst(system.url, 3_000)
    for (const so_far of [300, 900]) {
      await burst.accepted(so_far)
      await threads.get(victim)?.terminate()
      await threads.next(victim)
    }
    await burst.ended()
    assert.ok(burst.marks.size >= 900)
    await everyMark(burst.marks, chat)
    await everyMark(burst.marks, flow)
    await until(system.url, 200)
  })
}

test('render threads are killed under load: their incidents arrive as plain text, all others as rendered', async (t) => {
  const { chat, flow, alert } = await twoChannels(t)
  const dir = folder()
  const template_path = join(dir, 'runs-away.tmpl')
  writeFileSync(
    template_path,
    '{{ range .rows }}{{ range $.rows }}{{ range $.rows }}{{ end }}{{ end }}{{ end }}rendered {{ .ServiceName }}\n',
  )
  const system = await startTestSystem(
    t,
    configFile(dir, {
      alert: { ...alert, officechat: { ...alert.officechat, template_path } },
      templates: { deadline: '100ms' },
    }),
  )
  const burst = new Burst(system.url, 400)
  const rows = Array.from({ length: 3_000 }, (_, n) => n)
  for (const soFar of [50, 150, 250]) {
    await burst.accepted(soFar)
    await post(system.url, { ServiceName: `runs-away-${soFar}`, rows })
  }
  await burst.ended()
  await everyMark(burst.marks, chat)
  await everyMark(burst.marks, flow)
  for (const soFar of [50, 150, 250]) {
    const { body } = await flow.waitFor((request) => request.body.includes(`runs-away-${soFar}`))
    assert.doesNotMatch(body, /rendered runs-away/)
  }
  assert.ok(flow.requests.every(({ body }) => body.includes('runs-away') || body.includes('rendered mark-')))
})

/** Posts `count` incidents over some connections; `marks` are those that were answered 201. A refusal is tried again, a broken connection is not. */
class Burst {
  readonly marks = new Set<string>()
  readonly #url: string
  readonly #work: Promise<unknown>
  #left: number
  #waiting: { readonly count: number; readonly resolve: () => void }[] = []

  constructor(url: string, count: number) {
    this.#url = url
    this.#left = count
    this.#work = Promise.all(Array.from({ length: 16 }, () => this.#lane()))
  }
  accepted(count: number): Promise<void> {
    return new Promise((resolve) => {
      this.#waiting.push({ count, resolve })
      this.#tell()
    })
  }
  async ended(): Promise<void> {
    await this.#work
  }
  async #lane(): Promise<void> {
    while (this.#left > 0) {
      const mark = `mark-${this.#left--}-end`
      try {
        while (!(await this.#posted(mark)));
      } catch {
        return
      }
    }
  }
  async #posted(mark: string): Promise<boolean> {
    const answer = await post(this.#url, { ServiceName: mark, Logs: 'x'.repeat(300) })
    await answer.arrayBuffer()
    if (answer.status === 503) return false
    assert.equal(answer.status, 201)
    this.marks.add(mark)
    this.#tell()
    return true
  }
  #tell(): void {
    this.#waiting = this.#waiting.filter(({ count, resolve }) => this.marks.size < count || resolve())
  }
}

async function everyMark(marks: ReadonlySet<string>, provider: Provider): Promise<void> {
  const missing = new Set(marks)
  const strike = (body: string) => {
    for (const [mark] of body.matchAll(/mark-\d+-end/g)) missing.delete(mark)
    return missing.size === 0
  }
  for (const { body } of provider.requests) strike(body)
  if (missing.size > 0) await provider.waitFor(({ body }) => strike(body))
}

async function refusal(url: string): Promise<void> {
  for (;;) {
    const answer = await post(url, { ServiceName: 'late' }).catch(() => undefined)
    if (answer === undefined || answer.status === 503) return
  }
}

async function until(url: string, status: number): Promise<void> {
  while ((await fetch(`${url}/readyz`)).status !== status);
}
