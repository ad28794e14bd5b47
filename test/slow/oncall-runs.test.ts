import { test } from 'node:test'
import { histories } from '../policy/oncall/run-model.ts'

test('100,000 random histories of escalations: clock jumps, reloads, silences, answers', () => {
  histories(100_000)
})
