import { holds } from './property.ts'

holds(3)
