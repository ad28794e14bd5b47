import { machine } from './machine.ts'
import { publish } from './published.ts'

/** `npm run bench:readme`: the README's section from what is published already, for when its words or the list of trials have changed. */
publish({ machine: machine(), trials: {} })
