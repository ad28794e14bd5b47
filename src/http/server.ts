import type { Front, FrontOptions } from './front.ts'

/** A front that is not listening yet. Its thread may end only after `close`: an open socket would abort the process. */
export declare function createFront(options: FrontOptions): Front
