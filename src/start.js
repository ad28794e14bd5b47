import { start } from './bundle/start.js'

/** Entry of `npm start -- --config FILE`: runs `main.ts`. */
await start('main')
