import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { suite, test } from 'node:test'
import { patternOf, templatesOf } from '../../bench/mining/blind/event.ts'
import { logOf } from '../../bench/mining/blind/log.ts'
import { scenarios } from '../../bench/mining/blind/scenarios.ts'
import { type Scenario, streamOf } from '../../bench/mining/blind/stream.ts'
import { systems } from '../../bench/mining/blind/systems/index.ts'

const SEED = 7

const digest = (value: unknown) => createHash('sha256').update(JSON.stringify(value)).digest('hex')

suite('the logs of the blind set', () => {
  for (const system of systems)
    test(`${system.name}: the same seed makes the same 2,000 lines, and each matches its template best`, () => {
      const lines = logOf(system, SEED)
      assert.equal(lines.length, 2_000)
      assert.equal(digest(lines), digest(logOf(system, SEED)))
      assert.notEqual(digest(lines), digest(logOf(system, SEED + 1)))
      const patterns = [...templatesOf(system)]
        .map(([id, template]) => ({ id, pattern: patternOf(template), fixed: template.replaceAll('<*>', '').length }))
        .sort((one, other) => other.fixed - one.fixed)
      for (const { event, content } of lines)
        assert.equal(patterns.find(({ pattern }) => pattern.test(content))?.id, event, content)
    })

  test('no line spans two, and no template has a tab', () => {
    for (const system of systems) {
      for (const { header, content } of logOf(system, SEED)) assert.doesNotMatch(header + content, /\n/)
      for (const template of templatesOf(system).values()) assert.doesNotMatch(template, /\t/)
    }
  })

  test('every value that a template names is there, and none is left over', () => {
    for (const { name, events, values } of systems) {
      const texts = events.flatMap((event) => [event, ...event.chain]).map(({ text }) => text)
      const named = new Set(texts.flatMap((text) => text.match(/(?<=<)[a-z][a-z_]*(?=>)/g) ?? []))
      assert.deepEqual([...named].sort(), Object.keys(values).sort(), name)
    }
  })
})

suite('the streams of the blind set', () => {
  const mixed = scenarios.find(({ name }) => name === '09-mixed-nginx') as Scenario
  const stream = streamOf(mixed, SEED)

  test('the same seed makes the same stream', () => {
    assert.equal(digest(stream), digest(streamOf(mixed, SEED)))
    assert.notEqual(digest(stream), digest(streamOf(mixed, SEED + 1)))
  })

  test('a novelty does not occur before its time, and every item has lines', () => {
    const { train, detect, truth } = stream
    const novel = truth.items.filter(({ type }) => type === 'novel')
    assert.equal(novel.length, mixed.novel.near + mixed.novel.far + mixed.novel.foreign)
    for (const { id, type, event, system, start_ms, end_ms } of truth.items) {
      const lines = detect.filter(({ label }) => label === `${type}:${id}`)
      assert.equal(lines[0]?.t_ms, start_ms)
      assert.equal(lines.at(-1)?.t_ms, end_ms)
      const trained = train.filter(({ ev }) => ev === event || ev === `${system}:${event}`).length
      if (type === 'novel') assert.equal(trained, 0)
      else assert.ok(trained >= 3)
    }
  })

  test('what is normal in detection is normal in training, and every normal event has three lines there', () => {
    const { train, detect } = stream
    const seen = Map.groupBy(train, ({ ev }) => ev)
    for (const { ev } of detect.filter(({ label }) => label === 'normal'))
      assert.ok((seen.get(ev)?.length ?? 0) >= 3, ev)
    assert.ok(train.every(({ label }) => label === 'normal'))
  })

  test('names that did not exist in training occur in detection', () => {
    const { train, detect } = stream
    const [before, after] = [train, detect].map(
      (rows) => rows.filter(({ line }) => line.includes('beta.example.com')).length,
    )
    assert.equal(before, 0)
    assert.ok((after ?? 0) > 0)
  })
})
