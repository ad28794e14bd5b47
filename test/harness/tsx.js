import { isMainThread } from 'node:worker_threads'

/** A module without types. */
const LOADER = 'tsx'
// Tests run by tsx. Worker threads strip types as in production: a loader of their own costs each half a second.
if (isMainThread) await import(LOADER)
