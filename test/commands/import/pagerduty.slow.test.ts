import assert from 'node:assert/strict'
import { join } from 'node:path'
import test from 'node:test'
import { loadConfig } from '../../../src/config/load.ts'
import { randomFrom } from '../../harness/random.ts'
import { counted, imported, MAIL, MINUTE } from './minutes.ts'
import { asAnswered, pagerdutyExport } from './pagerduty-exports.ts'

const EXPORTS = Array.from({ length: 8 }, (_, seed) => seed)

for (const seed of EXPORTS)
  test(`export ${seed} of PagerDuty: each minute that it rendered is the same here, and another one is found`, async (t) => {
    const generated = pagerdutyExport(seed)
    const order = seed % 5 === 0 ? 'as shown' : 'deciding first'
    const { code, lines, out } = await imported(t, 'pagerduty', asAnswered(generated, order))
    const { equal, all } = counted(lines)
    assert.deepEqual([code, equal], [0, all], lines.join('\n'))
    assert.equal(all, 2 * generated.spans.reduce((sum, [from, until]) => sum + (until - from) / MINUTE, 0))
    const { config } = loadConfig({ file: join(out, 'oncall.yaml'), env: MAIL })
    assert.deepEqual([...config.oncallSchedules.keys()], ['primary', 'nights'])

    const random = randomFrom(seed + 1_000)
    const one = <T>(list: readonly T[]) => list[Math.floor(random() * list.length)] as T
    const minutes = one(one(generated.rendered))
    minutes[Math.floor(random() * minutes.length)] = 'PZOE'
    const other = await imported(t, 'pagerduty', asAnswered(generated, order))
    assert.deepEqual([other.code, counted(other.lines)], [1, { equal: all - 1, all }])
    assert.match(other.lines.join('\n'), /\n {2}\d{4}-\d\d-\d\d \d\d:\d\d - \S+ \S+: \S+ here, zoe there\n/)
  })
