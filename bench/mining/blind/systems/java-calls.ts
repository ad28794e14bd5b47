import type { System } from '../event.ts'
import { integer, joined, living, names, oneOf, part, shared } from '../values.ts'

/** Calls that stand in stack traces: method, file and line, archive. */
const calls = living(
  'call',
  150,
  oneOf(
    joined(
      'org.elasticsearch.',
      names(
        [
          'transport.TransportService$9.handleException|TransportService',
          'action.ActionListener$2.onFailure|ActionListener',
          'index.engine.InternalEngine.index|InternalEngine',
          'cluster.service.MasterService.executeTasks|MasterService',
          'common.util.concurrent.ThreadContext$ContextPreservingAbstractRunnable.doRun|ThreadContext',
          'indices.recovery.PeerRecoveryTargetService.doRecovery|PeerRecoveryTargetService',
          'search.SearchService.lambda$executeQueryPhase$4|SearchService',
          'index.mapper.DocumentParser.parseObjectOrField|DocumentParser',
          'common.util.concurrent.AbstractRunnable.run|AbstractRunnable',
        ],
        ['ingest.IngestService.executePipelines|IngestService'],
      ),
      '.java:',
      integer(20, 1_900),
      '|',
      names(['~[elasticsearch-8.11.1.jar:?]', '[elasticsearch-8.11.1.jar:?]']),
    ),
    joined(
      names([
        'java.util.concurrent.ThreadPoolExecutor.runWorker|ThreadPoolExecutor',
        'java.lang.Thread.run|Thread',
        'java.util.concurrent.ThreadPoolExecutor$Worker.run|ThreadPoolExecutor',
        'sun.nio.ch.SocketChannelImpl.finishConnect|SocketChannelImpl',
      ]),
      '.java:',
      integer(600, 1_700),
      '|',
      names(['[?:?]', '~[?:?]']),
    ),
    joined(
      names([
        'io.netty.channel.nio.NioEventLoop.run|NioEventLoop',
        'io.netty.channel.AbstractChannel.close|AbstractChannel',
      ]),
      '.java:',
      integer(100, 900),
      '|~[netty-transport-4.1.94.Final.jar:?]',
    ),
    () => 'sun.nio.ch.Net.pollConnect|Native Method|~[?:?]',
  ),
)

const drawn = shared('call', calls)

/** Parts of a call in a stack trace. `frame` comes first in a line and begins another call. */
export const call: System['values'] = {
  frame: (draw) => {
    draw.scene.delete('call')
    return part(drawn, 0)(draw)
  },
  file: part(drawn, 1),
  jar: part(drawn, 2),
}
