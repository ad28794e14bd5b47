/** Returns the address of an incident's dashboard page; its id when `publicHost` is empty. */
export function incidentLink(publicHost: string, incidentId: string): string {
  if (publicHost === '') return `incident ${incidentId}`
  return `${publicHost.replace(/\/+$/, '')}/#/incidents/${encodeURIComponent(incidentId)}`
}
