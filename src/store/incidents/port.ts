import { openDeliveryList } from '../deliveries/list.ts'
import type { StoreContext } from '../engine/context.ts'
import type { Payloads } from '../journal/payloads.ts'
import type { IncidentPort } from '../ports/incidents.ts'
import { openIncidentList } from '../search/incident-list.ts'
import { openIncidentDetail, openIncidentRecord } from './read.ts'

export const openIncidentPort = (context: StoreContext, payloads: Pick<Payloads, 'of'>): IncidentPort => ({
  list: openIncidentList(context, payloads),
  detail: openIncidentDetail(context, payloads),
  record: openIncidentRecord(context),
  deliveries: openDeliveryList(context),
})
