import type { System } from '../event.ts'
import { elasticsearch } from './elasticsearch.ts'
import { etcd } from './etcd.ts'
import { kubelet } from './kubelet.ts'
import { nginx } from './nginx.ts'
import { postgresql } from './postgresql.ts'
import { rabbitmq } from './rabbitmq.ts'

export const systems: readonly System[] = [elasticsearch, etcd, kubelet, nginx, postgresql, rabbitmq]
