import { resolve } from 'node:path'
import { bundle } from './bundle.ts'
import { PREBUILT } from './sources.ts'

/** `node src/dashboard/build.ts [FOLDER]`: a process of its own, so that the service neither waits for it nor keeps its memory. */
await bundle(resolve(process.argv[2] ?? PREBUILT))
