import { published, writeDocs } from '../published.ts'

/** `npm run bench:docs`: writes docs/performance.md and its plots from bench/published.json. */
writeDocs(published())
