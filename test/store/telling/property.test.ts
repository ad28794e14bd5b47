import { holds } from './property.ts'

holds(4)
