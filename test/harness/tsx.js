import { isMainThread } from 'node:worker_threads'

// Tests run by tsx. Worker threads strip types as in production: a loader of their own costs each half a second.
if (isMainThread) {
  const { register } = await import('tsx/esm/api')
  register()
}
