import { resolve } from 'node:path'
import { bundle } from './bundle.ts'
import { PREBUILT } from './sources.ts'

/**
 * `node src/dashboard/build.ts [FOLDER]`: bundles the dashboard in a process of its own, so that the service neither
 * blocks nor keeps the memory of the bundler.
 */
await bundle(resolve(process.argv[2] ?? PREBUILT))
