import { setFlagsFromString } from 'node:v8'
import { start } from './bundle/start.js'

// Most of what a flood leaves behind is garbage. Without a bound V8 lets a heap of 15 MB grow to 70 before it collects.
setFlagsFromString('--heap-growing-percent=50')

/** Entry of `npm start -- --config FILE`: runs `main.ts`. */
await start('main')
