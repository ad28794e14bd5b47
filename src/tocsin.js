#!/usr/bin/env -S node --disable-warning=ExperimentalWarning
import { start } from './bundle/start.js'

/** Entry of `npm run tocsin -- COMMAND`: runs `cli.ts`. */
await start('cli')
