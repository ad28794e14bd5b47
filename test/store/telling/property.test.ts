import { holds } from './property.ts'

holds(2)
