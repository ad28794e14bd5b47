import type { HeartbeatDetail } from '../../../src/api/noise/heartbeat.ts'
import { useResource } from '../../api/resource.ts'
import { Dialog } from '../../ui/dialog.tsx'
import { Pending } from '../../ui/empty.tsx'

/** Text of the program that sent the last ping of a heartbeat. */
export function Output({ of, close }: { readonly of: string; readonly close: () => void }) {
  const detail = useResource<HeartbeatDetail>(`/api/admin/heartbeats/${encodeURIComponent(of)}`)
  const { value } = detail
  return (
    <Dialog title={`Output of ${of}`} close={close}>
      {value === undefined ? (
        <Pending of={detail} />
      ) : (
        <pre class="break">{value.output || 'It is not known any more.'}</pre>
      )}
    </Dialog>
  )
}
