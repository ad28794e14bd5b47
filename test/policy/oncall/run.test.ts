import assert from 'node:assert/strict'
import { test } from 'node:test'
import { nextStep } from '../../../src/policy/oncall/run.ts'
import { histories } from './run-model.ts'
import { CRITICAL, findOf, HIGH, MINUTE_MS, plan, RunByHand, step, WARNING } from './run-setup.ts'

test('a run waits for its first step, and for the wait that its route asks for', () => {
  assert.deepEqual(new RunByHand({ plan: plan({ steps: [step(3, 'person:ada')] }) }).until(5).done, ['3 ask ada'])
  assert.deepEqual(new RunByHand({ waitMs: 4 * MINUTE_MS }).until(5).done, ['4 ask ada'])
})

test('the next step waits from the moment at which this one really ran, which says how late it is', () => {
  const run = new RunByHand().until(0)
  run.now = 120 * MINUTE_MS
  run.happens({ kind: 'due' }).until(131)
  assert.deepEqual(run.done, ['0 ask ada', '120 ask ben late 112', '130 ask cleo'])
})

test('one step runs at a time, and none before its time', () => {
  const run = new RunByHand().until(0)
  assert.deepEqual(run.happens({ kind: 'due' }).happens({ kind: 'due' }).done, ['0 ask ada'])
})

test('the people of a step are those of the moment at which it runs', () => {
  const run = new RunByHand({ find: findOf({ ben: Infinity }) }).until(0)
  run.find = () => ({ people: ['dora'], because: 'override 7' })
  assert.deepEqual(run.until(8).done, ['0 ask ada', '8 ask dora'])
})

test('a step without a person tells its channels, and the next one runs at once', () => {
  const steps = [step(0, 'schedule:ada channel:chatws'), step(8, 'schedule:ben'), step(10, 'schedule:cleo')]
  const run = new RunByHand({ plan: plan({ steps }), find: findOf({ ada: Infinity }) })
  assert.deepEqual(run.until(10).done, ['0 no person schedule channel', '0 ask ben', '10 ask cleo'])
})

test('after a step whose pages are all dead the next one runs at once, but the rest between rounds stays', () => {
  const run = new RunByHand().until(0).happens({ kind: 'step failed' }).until(0)
  assert.deepEqual(run.done, ['0 ask ada', '0 ask ben'])
  run.until(10).happens({ kind: 'step failed' })
  assert.equal(run.dueIn, 15)
  run.until(43).happens({ kind: 'step failed' }).until(43)
  assert.deepEqual(run.done.slice(2), ['10 ask cleo', '25 ask ada', '33 ask ben', '43 ask cleo', '43 exhausted'])
})

test('where no step of a round has a person, the run says so and waits until one is on call', () => {
  const run = new RunByHand({ find: findOf({ ada: 300, ben: 200, cleo: Infinity }) }).until(199)
  const none = ['0 no person schedule', '0 no person schedule', '0 no person schedule', '0 exhausted']
  assert.deepEqual(run.done, none)
  assert.deepEqual([run.run.phase, run.dueIn], ['exhausted', 1])
  assert.deepEqual(run.until(200).done.slice(4), ['200 no person schedule', '200 ask ben'])
})

test('a round without a person is none, and is made up for once somebody is on call', () => {
  const run = new RunByHand().until(20)
  run.find = findOf({ ada: 200, ben: Infinity, cleo: Infinity })
  const none = ['33 no person schedule', '33 no person schedule', '33 no person schedule', '33 exhausted']
  assert.deepEqual(run.until(222).done.slice(3), [
    ...none,
    '200 ask ada',
    '208 no person schedule',
    '208 no person schedule',
  ])
  assert.deepEqual(run.until(300).done.at(-1), '223 exhausted')
})

test('a run that never has a person again stays open without a due time', () => {
  const { run } = new RunByHand({ find: findOf({ ada: Infinity, ben: Infinity, cleo: Infinity }) }).until(1_000)
  assert.deepEqual([run.phase, run.dueAt], ['exhausted', undefined])
})

test('a step of channels alone asks, beside people channels do not', () => {
  const steps = [step(0, 'channel:chatws'), step(8, 'schedule:ben channel:chatws'), step(10, 'schedule:cleo')]
  const run = new RunByHand({ plan: plan({ steps }), find: findOf({ ben: Infinity }) }).until(8)
  assert.deepEqual(run.done, ['0 ask channel', '8 no person schedule channel', '8 ask cleo'])
})

test('a provider has a person, and later steps run all the same', () => {
  const steps = [step(0, 'schedule:ada provider'), step(8, 'schedule:ben')]
  const run = new RunByHand({ plan: plan({ steps, repeat: 0 }), find: findOf({ ada: Infinity, ben: Infinity }) })
  assert.deepEqual(run.until(100).done, ['0 ask schedule provider', '8 no person schedule', '23 exhausted'])
})

test('when all rounds are over the run says so once, after the last person had time, and stays open', () => {
  const run = new RunByHand().until(1_000)
  const second = ['33 ask ada', '41 ask ben', '51 ask cleo', '66 exhausted']
  assert.deepEqual(run.done, ['0 ask ada', '8 ask ben', '18 ask cleo', ...second])
  assert.deepEqual([run.run.phase, run.run.dueAt], ['exhausted', undefined])
})

test('a problem that is not loud enough passes a step; what becomes louder runs those steps at once, one each turn', () => {
  const steps = [
    step(0, 'schedule:ada'),
    step(8, 'person:ben', HIGH),
    step(2, 'person:cleo', CRITICAL),
    step(9, 'person:dora'),
  ]
  const run = new RunByHand({ plan: plan({ steps }) }).until(9)
  assert.deepEqual(run.done, ['0 ask ada', '8 floor 1', '8 floor 2', '8 ask dora'])
  run.happens({ kind: 'louder', level: CRITICAL })
  assert.equal(run.dueIn, 0)
  run.until(10)
  assert.deepEqual(run.done.slice(4), ['9 ask ben'])
})

test('the step after one that ran because of a louder problem waits for its full time', () => {
  const steps = [step(0, 'schedule:ada'), step(8, 'person:ben', HIGH), step(9, 'person:cleo')]
  const run = new RunByHand({ plan: plan({ steps: [...steps, step(6, 'person:dora')] }) }).until(10)
  run.happens({ kind: 'louder', level: HIGH }).until(20)
  assert.deepEqual(run.done, ['0 ask ada', '8 floor 1', '8 ask cleo', '10 ask ben', '16 ask dora'])
})

test('a louder problem ends an acknowledgement, and the run asks from its first step', () => {
  const run = new RunByHand().until(8).happens({ kind: 'acknowledged', by: 'ben' }).until(100)
  run.happens({ kind: 'louder', level: CRITICAL }).until(108)
  const taken = ['8 cancel pages', '8 stand down, ben has it']
  assert.deepEqual(run.done, ['0 ask ada', '8 ask ben', ...taken, '100 ask ada', '108 ask ben'])
})

test('a run that nobody answered asks again when its problem becomes louder', () => {
  const run = new RunByHand().until(100).happens({ kind: 'louder', level: HIGH }).until(108)
  assert.deepEqual(run.done.slice(-3), ['66 exhausted', '100 ask ada', '108 ask ben'])
})

test('an acknowledgement cancels pages, and holds as long as the problem without a time of its own', () => {
  const run = new RunByHand().until(5).happens({ kind: 'acknowledged', by: 'Ada' }).until(10_000)
  assert.deepEqual(run.done, ['0 ask ada', '5 cancel pages', '5 stand down, Ada has it'])
  assert.deepEqual([run.run.phase, run.run.dueAt, run.run.ack?.by], ['acknowledged', undefined, 'Ada'])
  assert.deepEqual(run.happens({ kind: 'acknowledged', by: 'Ben' }).done.length, 3)
})

test('when the time of an acknowledgement is over its person is asked alone, then the run begins again', () => {
  const ackFor = plan({ ackForMs: 120 * MINUTE_MS })
  const run = new RunByHand({ plan: ackFor }).until(8).happens({ kind: 'acknowledged', by: 'ben' }).until(144)
  assert.deepEqual(run.done.slice(4), ['128 ask ben', '136 ask ada', '144 ask ben'])
  const short = plan({ ackForMs: 120 * MINUTE_MS, steps: [step(0, 'person:ada'), step(1, 'person:ben')] })
  const quick = new RunByHand({ plan: short }).until(0).happens({ kind: 'acknowledged', by: 'ada' }).until(125)
  assert.deepEqual(quick.done.slice(3), ['120 ask ada', '125 ask ada'])
})

test('a person who acknowledged and is not of the configuration is not asked alone', () => {
  const find = findOf({ Zoe: Infinity })
  const run = new RunByHand({ plan: plan({ ackForMs: 120 * MINUTE_MS }), find }).until(0)
  run.happens({ kind: 'acknowledged', by: 'Zoe' }).until(120)
  assert.deepEqual(run.done.slice(3), ['120 no person person', '120 ask ada'])
})

test('the next step runs at once for a person who cannot, and by hand', () => {
  const declined = new RunByHand().until(3).happens({ kind: 'declined', by: 'ada' }).until(3)
  assert.deepEqual(declined.done, ['0 ask ada', '3 ask ben'])
  const escalated = new RunByHand({ waitMs: 9 * MINUTE_MS }).until(3).happens({ kind: 'escalate', by: 'Eve' }).until(3)
  assert.deepEqual(escalated.done, ['3 ask ada'])
})

test('who acknowledged can hand it on, and another cannot', () => {
  const run = new RunByHand().until(8).happens({ kind: 'acknowledged', by: 'ben' }).until(20)
  assert.equal(run.happens({ kind: 'declined', by: 'ada' }).run.phase, 'acknowledged')
  assert.deepEqual(run.happens({ kind: 'declined', by: 'ben' }).until(20).done.slice(4), ['20 ask cleo'])
})

test('after all rounds the last one can be asked for by hand, and declining begins nothing', () => {
  const run = new RunByHand().until(100)
  assert.equal(run.happens({ kind: 'declined', by: 'cleo' }).dueIn, undefined)
  run.happens({ kind: 'escalate', by: 'Eve' }).until(1_000)
  assert.deepEqual(run.done.slice(-5), ['66 exhausted', '100 ask ada', '108 ask ben', '118 ask cleo', '133 exhausted'])
})

test('a silence holds the next step, which has its full wait afterwards', () => {
  const run = new RunByHand().until(5).happens({ kind: 'silenced' }).until(100)
  assert.deepEqual([run.run.phase, run.dueIn], ['held', undefined])
  assert.deepEqual(run.happens({ kind: 'released' }).until(108).done, ['0 ask ada', '108 ask ben'])
})

test('a silence does not end an acknowledgement, and holds what is due after it', () => {
  const run = new RunByHand({ plan: plan({ ackForMs: 60 * MINUTE_MS }) }).until(0)
  run.happens({ kind: 'acknowledged', by: 'ada' }).until(5).happens({ kind: 'silenced' })
  assert.equal(run.run.phase, 'acknowledged')
  run.now = 60 * MINUTE_MS
  assert.equal(run.happens({ kind: 'silenced' }).run.phase, 'held')
  run.until(200).happens({ kind: 'released' }).until(200)
  assert.deepEqual(run.done.slice(3), ['200 ask ada'])
})

test('a person can acknowledge a run that a silence holds', () => {
  const run = new RunByHand().until(5).happens({ kind: 'silenced' }).happens({ kind: 'acknowledged', by: 'ada' })
  assert.equal(run.happens({ kind: 'released' }).run.phase, 'acknowledged')
})

test('what happens during a silence counts at its end', () => {
  const run = new RunByHand().until(5).happens({ kind: 'silenced' }).happens({ kind: 'escalate', by: 'Eve' })
  assert.deepEqual(run.happens({ kind: 'released' }).until(5).done, ['0 ask ada', '5 ask ben'])
  const taken = new RunByHand({ plan: plan({ ackForMs: 5 * MINUTE_MS }) }).until(8)
  taken.happens({ kind: 'acknowledged', by: 'ben' })
  taken.now = 13 * MINUTE_MS
  taken
    .happens({ kind: 'silenced' })
    .happens({ kind: 'louder', level: CRITICAL })
    .happens({ kind: 'released' })
    .until(13)
  assert.deepEqual(taken.done.slice(4), ['13 ask ada'])
})

test('a step whose people all have quiet hours waits for the earliest end', () => {
  const steps = [step(0, 'schedule:ada person:ben channel:chatws'), step(8, 'schedule:cleo')]
  const run = new RunByHand({ plan: plan({ steps }), find: findOf({}, { ada: 420, ben: 400 }) }).until(399)
  assert.deepEqual([run.done, run.dueIn], [[], 1])
  assert.deepEqual(run.until(410).done, ['400 ask ada ben channel', '408 ask cleo'])
})

test('a step with a person who is awake, or a provider, does not wait', () => {
  const find = findOf({}, { ada: 420 })
  const awake = new RunByHand({ plan: plan({ steps: [step(0, 'schedule:ada person:ben')] }), find })
  assert.deepEqual(awake.until(0).done, ['0 ask ada ben'])
  const provider = new RunByHand({ plan: plan({ steps: [step(0, 'schedule:ada provider')] }), find })
  assert.deepEqual(provider.until(0).done, ['0 ask ada provider'])
})

test('a problem that becomes louder ends the wait for quiet hours', () => {
  const run = new RunByHand({ find: findOf({}, { ada: 420, ben: 420 }) }).until(10)
  run.happens({ kind: 'louder', level: HIGH }).until(18)
  assert.deepEqual(run.done, ['10 ask ada', '18 ask ben'])
})

test('the end of a problem, or of on-call, ends the run for good', () => {
  for (const kind of ['resolved', 'switched off'] as const) {
    const run = new RunByHand().until(5).happens({ kind }).happens({ kind: 'escalate', by: 'Eve' })
    assert.deepEqual([run.run.phase, run.run.dueAt], ['ended', undefined])
    assert.deepEqual(run.happens({ kind: 'resolved' }).until(100).done, ['0 ask ada', '5 cancel pages'])
  }
})

test('a shorter plan than the one that the run had goes on with its next round', () => {
  const run = new RunByHand().until(8)
  const { run: next } = nextStep({
    ...{ plan: plan({ steps: [step(0, 'person:dora')] }), run: run.run, now: 18 * MINUTE_MS, find: run.find },
    event: { kind: 'due' },
  })
  assert.deepEqual([next.phase, next.round, next.step, next.level], ['asking', 1, 0, WARNING])
})

test('random histories: one step a turn, full waits, nobody asked while a person has it, and always a due time or an end', () => {
  histories(300)
})
