import assert from 'node:assert/strict'
import { test } from 'node:test'
import { runInNewContext } from 'node:vm'
import { MessageChannel } from 'node:worker_threads'
import { expose, wrap } from 'comlink'
import nodeEndpoint from 'comlink/dist/esm/node-adapter.mjs'
import { CodedError } from '../../src/domain/errors.ts'
import { packError, RemoteError, registerErrorTransfer } from '../../src/kernel/error-transfer.ts'

test('an error keeps name, message, code and stack over a thread boundary', () => {
  const error = new CodedError('storage_full', 'no space left')
  const remote = new RemoteError(structuredClone(packError(error)))
  assert.ok(remote instanceof Error)
  assert.equal(remote.name, 'CodedError')
  assert.equal(remote.message, 'no space left')
  assert.equal(remote.code, 'storage_full')
  assert.equal(remote.stack, error.stack)
})

test('a code that is no string is dropped', () => {
  assert.equal(packError(Object.assign(new Error('x'), { code: 25 })).code, undefined)
})

test('anything that is thrown can be packed and cloned', () => {
  const odd: unknown[] = [
    'text',
    undefined,
    null,
    Symbol('odd'),
    Object.create(null),
    Object.assign(new Error('x'), { message: { not: 'text' }, name: Symbol('n'), stack: () => {} }),
    runInNewContext('new TypeError("from another realm")'),
  ]
  const messages = odd.map((thrown) => structuredClone(packError(thrown)).message)
  assert.deepEqual(messages, [
    'text',
    'undefined',
    'null',
    'Symbol(odd)',
    'an error without text',
    '[object Object]',
    'from another realm',
  ])
})

test('a call through comlink rejects with the code of the thrown error, for anything thrown', async () => {
  registerErrorTransfer()
  registerErrorTransfer()
  const { port1, port2 } = new MessageChannel()
  const service = {
    coded: () => Promise.reject(new CodedError('backlog_full')),
    text: () => {
      throw 'just text'
    },
    unsendable: () => () => {},
  }
  expose(service, nodeEndpoint(port1))
  const remote = wrap<typeof service>(nodeEndpoint(port2))
  try {
    await assert.rejects(remote.coded(), (error) => error instanceof RemoteError && error.code === 'backlog_full')
    await assert.rejects(remote.text(), { message: 'just text' })
    await assert.rejects(remote.unsendable(), { name: 'TypeError' })
  } finally {
    port1.close()
  }
})
