import assert from 'node:assert/strict'
import { join } from 'node:path'
import test from 'node:test'
import { loadConfig } from '../../../src/config/load.ts'
import { randomFrom } from '../../harness/random.ts'
import { counted, imported, MAIL, MINUTE } from './minutes.ts'
import { asAnswered, opsgenieExport } from './opsgenie-exports.ts'

const EXPORTS = Array.from({ length: 12 }, (_, seed) => seed)

for (const seed of EXPORTS)
  test(`export ${seed} of Opsgenie: each minute that it rendered is the same here, and another one is found`, async (t) => {
    const generated = opsgenieExport(seed)
    const { code, lines, out } = await imported(t, 'opsgenie', asAnswered(generated))
    const { equal, all } = counted(lines)
    assert.deepEqual([code, equal], [0, all], lines.join('\n'))
    // Four schedules, because the shadow overlaps the other rotations.
    assert.equal(all, 4 * generated.spans.reduce((sum, [from, until]) => sum + (until - from) / MINUTE, 0))
    const { config } = loadConfig({ file: join(out, 'oncall.yaml'), env: MAIL })
    assert.deepEqual([...config.oncallSchedules.keys()], ['follow-the-sun', 'buro', 'buro-shadow', 'hours'])

    const random = randomFrom(seed + 1_000)
    const one = <T>(list: readonly T[]) => list[Math.floor(random() * list.length)] as T
    const minutes = one([...one(one(generated.rendered)).values()])
    const nth = Math.floor(random() * minutes.length)
    const [was, [from]] = [minutes[nth], generated.spans[0] ?? [0]]
    minutes[nth] = 'zoe@example.com'
    const other = await imported(t, 'opsgenie', asAnswered(generated))
    assert.deepEqual([other.code, counted(other.lines)], [1, { equal: all - 1, all }], `${was} ${from}`)
    assert.match(other.lines.join('\n'), /\n {2}\d{4}-\d\d-\d\d \d\d:\d\d - \S+ \S+: .* here, .*zoe there\n/)
  })
