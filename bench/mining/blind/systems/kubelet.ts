import { eventsOf, type System, type Value } from '../event.ts'
import {
  address,
  count,
  decimal,
  goDuration,
  hex,
  integer,
  joined,
  list,
  living,
  names,
  oneOf,
  part,
  shared,
  stampOf,
  uuid,
} from '../values.ts'

const suffix = ({ random }: Parameters<typeof uuid>[0]) => random.text(5, 'bcdfghjklmnpqrstvwxz2456789')
/** Kinds of pods: namespace and container. */
const kinds = names(
  [
    'default|web',
    'shop|orders',
    'kube-system|coredns',
    'kube-system|kube-proxy',
    'monitoring|node-exporter',
    'shop|istio-proxy',
    'shop|redis',
  ],
  ['returns|returns', 'shop|vouchers', 'monitoring|fluent-bit'],
)
/** Pods: namespace, container, the end of the pod's name, its id. */
const pods = living('pod', 25, joined(kinds, '|', oneOf(joined(hex(9), '-', suffix), suffix, integer(0, 3)), '|', uuid))
const pod = shared('pod', pods)
const [namespace, container, uid] = [part(pod, 0), part(pod, 1), part(pod, 3)]
const name = joined(container, '-', part(pod, 2))
/** The list of a line has pods of its own. */
const quoted: Value = (draw) => {
  const [namespace, container, end] = pods(draw).split('|')
  return `"${namespace}/${container}-${end}"`
}
/** Hosts and the process id of their kubelet. */
const node = shared('node', names(['ip-10-0-3-17|1187', 'ip-10-0-3-42|1203', 'ip-10-0-4-8|998'], ['ip-10-0-9-101|917']))
/** Volumes and their plugins. */
const volume = shared(
  'volume',
  oneOf(
    joined('kube-api-access-', suffix, '|kubernetes.io/projected'),
    joined('kube-api-access-', suffix, '|kubernetes.io/projected'),
    names(
      [
        'config|kubernetes.io/configmap',
        'tmp|kubernetes.io/empty-dir',
        'certs|kubernetes.io/secret',
        'data|kubernetes.io/empty-dir',
      ],
      ['scratch|kubernetes.io/empty-dir'],
    ),
  ),
)
const image = shared(
  'image',
  joined('registry.example.com/', container, ':', names(['v1.', 'v2.', '1.']), integer(0, 40), '.', integer(0, 9)),
)
const path = joined('/var/lib/kubelet/pods/', uid, '/volumes/', part(volume, 1), '/', part(volume, 0))

/** A kubelet 1.29 under systemd, as `journalctl` prints it in the short form: klog's header follows journald's. */
export const kubelet: System = {
  name: 'Kubelet',
  header({ id, cells: [level, source] }, draw) {
    const { month, name, day, clock, micros } = stampOf(draw)
    const [host, process] = node(draw).split('|')
    // A call of the logger is always on the same line of its file.
    const line = 100 + 37 * Number(id.slice(1))
    return `${name} ${day} ${clock} ${host} kubelet[${process}]: ${level}${month}${day} ${clock}.${micros} ${process?.padStart(7)} ${source}:${line}] `
  },
  values: {
    pod: joined(namespace, '/', name),
    pods: list(quoted, 3, ','),
    list: list(quoted, 3, ','),
    name,
    namespace,
    container,
    uid,
    volume: part(volume, 0),
    plugin: part(volume, 1),
    image,
    path,
    id: shared('id', hex(64)),
    ip: address,
    n: count(9_000),
    few: count(20),
    code: names(['137', '1', '143', '0', '255']),
    duration: goDuration,
    seconds: decimal(9, 30),
    backoff: names(['10s', '20s', '40s', '1m20s', '2m40s', '5m0s']),
    probe: names(['Readiness', 'Liveness', 'Startup']),
    type: names(['ContainerStarted', 'ContainerDied', 'ContainerRemoved'], ['ContainerChanged']),
    node: part(node, 0),
    object: joined(
      'object-"',
      namespace,
      '"/"',
      oneOf(() => 'kube-root-ca.crt', joined(container, '-config')),
      '"',
    ),
    cgroup: joined('/kubepods/burstable/pod', uid),
    url: joined('http://', address, ':8080/', names(['healthz', 'ready', 'readyz'], ['livez'])),
    stamp: joined(
      '2026-03-31 ',
      integer(10, 23),
      ':',
      integer(10, 59),
      ':',
      integer(10, 59),
      '.',
      hex(6),
      ' +0000 UTC m=+',
      decimal(6, 90_000),
    ),
    plugin_driver: shared('driver', names(['ebs.csi.aws.com', 'efs.csi.aws.com'], ['s3.csi.aws.com'])),
    device: shared('device', joined('pvc-', uuid)),
    message: names(
      ['failed to exec in container', 'connection refused', 'no such file or directory'],
      ['unexpected EOF'],
    ),
    resource: names(['memory', 'nodefs.available', 'imagefs.available', 'pid.available']),
    bytes: count(90_000_000_000),
  },
  events: eventsOf(`
    240 I kubelet.go | "SyncLoop (PLEG): event for pod" pod="<pod>" event={"ID":"<uid>","Type":"<type>","Data":"<id>"}
    110 I kubelet.go | "SyncLoop ADD" source="api" pods=[<pods>]
    120 I kubelet.go | "SyncLoop UPDATE" source="api" pods=[<pods>]
     90 I kubelet.go | "SyncLoop DELETE" source="api" pods=[<pods>]
     80 I kubelet.go | "SyncLoop REMOVE" source="api" pods=[<pods>]
      8 I kubelet.go | "SyncLoop RECONCILE" source="api" pods=[<pods>]
     90 I kubelet.go | "SyncLoop (probe)" probe="readiness" status="ready" pod="<pod>"
     40 I kubelet.go | "SyncLoop (probe)" probe="readiness" status="" pod="<pod>"
     24 I kubelet.go | "SyncLoop (probe)" probe="liveness" status="unhealthy" pod="<pod>"
    190 I reconciler_common.go | "operationExecutor.VerifyControllerAttachedVolume started for volume \\"<volume>\\" (UniqueName: \\"<plugin>/<uid>-<volume>\\") pod \\"<name>\\" (UID: \\"<uid>\\") " pod="<pod>"
    140 I operation_generator.go | "MountVolume.SetUp succeeded for volume \\"<volume>\\" (UniqueName: \\"<plugin>/<uid>-<volume>\\") pod \\"<name>\\" (UID: \\"<uid>\\") " pod="<pod>"
     90 I reconciler_common.go | "operationExecutor.UnmountVolume started for volume \\"<volume>\\" (UniqueName: \\"<plugin>/<uid>-<volume>\\") pod \\"<uid>\\" (UID: \\"<uid>\\") "
     90 I operation_generator.go | UnmountVolume.TearDown succeeded for volume "<plugin>/<uid>-<volume>" (OuterVolumeSpecName: "<volume>") pod "<uid>" (UID: "<uid>"). InnerVolumeSpecName "<volume>". PluginName "<plugin>", VolumeGidValue ""
     80 I reconciler_common.go | "Volume detached for volume \\"<volume>\\" (UniqueName: \\"<plugin>/<uid>-<volume>\\") on node \\"<node>\\" DevicePath \\"\\""
    110 I pod_startup_latency_tracker.go | "Observed pod startup duration" pod="<pod>" podStartSLOduration=<seconds> podStartE2EDuration="<duration>" podCreationTimestamp="<stamp>" firstStartedPulling="<stamp>" lastFinishedPulling="<stamp>" observedRunningTime="<stamp>" watchObservedRunningTime="<stamp>"
     80 I scope.go | "RemoveContainer" containerID="<id>"
     40 I pod_container_deletor.go | "Container not found in pod's containers" containerID="<id>"
     26 I kubelet_volumes.go | "Cleaned up orphaned pod volumes dir" podUID="<uid>" path="/var/lib/kubelet/pods/<uid>/volumes"
     20 I kubelet_getters.go | "Pod status updated" pod="<pod>" status="Running"
     22 I topology_manager.go | "Topology Admit Handler" podUID="<uid>" podNamespace="<namespace>" podName="<name>"
     20 I cpu_manager.go | "RemoveStaleState: removing container" podUID="<uid>" containerName="<container>"
     16 I state_mem.go | "Deleted CPUSet assignment" podUID="<uid>" containerName="<container>"
     12 I memory_manager.go | "RemoveStaleState removing state" podUID="<uid>" containerName="<container>"
     24 I kuberuntime_container.go | "Killing container with a grace period" pod="<pod>" podUID="<uid>" containerName="<container>" containerID="containerd://<id>" gracePeriod=<few>
     30 I generic.go | "Generic (PLEG): container finished" podID="<uid>" containerID="<id>" exitCode=<code>
     18 I reflector.go | k8s.io/client-go/informers/factory.go:<n>: Watch close - *v1.Node total <n> items received
     20 I reflector.go | Caches populated for *v1.ConfigMap from <object>
     16 I reflector.go | Caches populated for *v1.Secret from <object>
    120 I prober.go | "Probe failed" probeType="<probe>" pod="<pod>" podUID="<uid>" containerName="<container>" probeResult="failure" output="HTTP probe failed with statuscode: <n>"
     40 I prober.go | "Probe failed" probeType="<probe>" pod="<pod>" podUID="<uid>" containerName="<container>" probeResult="failure" output="Get \\"<url>\\": dial tcp <ip>:8080: connect: connection refused"
    !20 I prober.go | "Probe failed" probeType="<probe>" pod="<pod>" podUID="<uid>" containerName="<container>" probeResult="failure" output="Get \\"<url>\\": context deadline exceeded (Client.Timeout exceeded while awaiting headers)"
    !8 I prober.go | "Probe failed" probeType="<probe>" pod="<pod>" podUID="<uid>" containerName="<container>" probeResult="failure" output="command timed out"
    !6 E prober.go | "Probe errored" err="rpc error: code = NotFound desc = <message>: container <id>: not found" probeType="<probe>" pod="<pod>" podUID="<uid>" containerName="<container>"
     80 E pod_workers.go | "Error syncing pod, skipping" err="failed to \\"StartContainer\\" for \\"<container>\\" with CrashLoopBackOff: \\"back-off <backoff> restarting failed container=<container> pod=<name>_<namespace>(<uid>)\\"" pod="<pod>" podUID="<uid>"
     30 E pod_workers.go | "Error syncing pod, skipping" err="failed to \\"StartContainer\\" for \\"<container>\\" with ImagePullBackOff: \\"Back-off pulling image \\\\\\"<image>\\\\\\"\\"" pod="<pod>" podUID="<uid>"
    !14 E pod_workers.go | "Error syncing pod, skipping" err="failed to \\"StartContainer\\" for \\"<container>\\" with ErrImagePull: \\"rpc error: code = NotFound desc = failed to pull and unpack image \\\\\\"<image>\\\\\\": failed to resolve reference \\\\\\"<image>\\\\\\": <image>: not found\\"" pod="<pod>" podUID="<uid>"
    !9 E pod_workers.go | "Error syncing pod, skipping" err="failed to \\"CreatePodSandbox\\" for \\"<name>_<namespace>(<uid>)\\" with CreatePodSandboxError: \\"Failed to create sandbox for pod: rpc error: code = Unknown desc = failed to setup network for sandbox \\\\\\"<id>\\\\\\": plugin type=\\\\\\"aws-cni\\\\\\" failed (add): add cmd: failed to assign an IP address to container\\"" pod="<pod>" podUID="<uid>"
    !6 E pod_workers.go | "Error syncing pod, skipping" err="failed to \\"StartContainer\\" for \\"<container>\\" with CreateContainerConfigError: \\"secret \\\\\\"<container>-tls\\\\\\" not found\\"" pod="<pod>" podUID="<uid>"
    !6 E pod_workers.go | "Error syncing pod, skipping" err="unmounted volumes=[<volume>], unattached volumes=[], failed to process volumes=[]: timed out waiting for the condition" pod="<pod>" podUID="<uid>"
    !6 E pod_workers.go | "Error syncing pod, skipping" err="network is not ready: container runtime network not ready: NetworkReady=false reason:NetworkPluginNotReady message:Network plugin returns error: cni plugin not initialized" pod="<pod>" podUID="<uid>"
    !5 E pod_workers.go | "Error syncing pod, skipping" err="failed to \\"KillContainer\\" for \\"<container>\\" with KillContainerError: \\"rpc error: code = DeadlineExceeded desc = context deadline exceeded\\"" pod="<pod>" podUID="<uid>"
     20 E kuberuntime_manager.go | container &Container{Name:<container>,Image:<image>,Command:[],Args:[],WorkingDir:,Ports:[]ContainerPort{},EnvFrom:[]EnvFromSource{},} start failed in pod <name>_<namespace>(<uid>): CreateContainerConfigError: secret "<container>-tls" not found
     14 E remote_runtime.go | "ContainerStatus from runtime service failed" err="rpc error: code = NotFound desc = an error occurred when try to find container \\"<id>\\": not found" containerID="<id>"
     14 I pod_container_deletor.go | "DeleteContainer returned error" containerID={"Type":"containerd","ID":"<id>"} err="failed to get container status \\"<id>\\": rpc error: code = NotFound desc = an error occurred when try to find container \\"<id>\\": not found"
    !9 E remote_image.go | "PullImage from image service failed" err="rpc error: code = Unknown desc = failed to pull and unpack image \\"<image>\\": failed to do request: Head \\"https://registry.example.com/v2/<container>/manifests/latest\\": dial tcp: lookup registry.example.com: no such host" image="<image>"
     !6 E remote_runtime.go | "RunPodSandbox from runtime service failed" err="rpc error: code = Unknown desc = failed to reserve sandbox name \\"<name>_<namespace>_<uid>_<few>\\": name \\"<name>_<namespace>_<uid>_<few>\\" is reserved for \\"<id>\\""
     !5 E remote_runtime.go | "StopPodSandbox from runtime service failed" err="rpc error: code = DeadlineExceeded desc = context deadline exceeded" podSandboxID="<id>"
     !5 E remote_runtime.go | "ExecSync cmd from runtime service failed" err="rpc error: code = DeadlineExceeded desc = failed to exec in container: timeout <few>s exceeded: context deadline exceeded" containerID="<id>" cmd=["/bin/sh","-c","/health.sh"]
     20 W machine.go | Cannot detect current cgroup on cgroup v2
     16 W watcher.go | Error while processing event ("<cgroup>": 0x40000100 == IN_CREATE|IN_ISDIR): inotify_add_watch <cgroup>: no such file or directory
     14 E cadvisor_stats_provider.go | "Partial failure issuing cadvisor.ContainerInfoV2" err="partial failures: [\\"<cgroup>\\": RecentStats: unable to find data in memory cache]"
     20 E nestedpendingoperations.go | Operation for "{volumeName:<plugin>/<uid>-<volume> podName:<uid> nodeName:}" failed. No retries permitted until <stamp> (durationBeforeRetry <backoff>). Error: MountVolume.SetUp failed for volume "<volume>" (UniqueName: "<plugin>/<uid>-<volume>") pod "<name>" (UID: "<uid>") : object <object> not registered
     !9 E nestedpendingoperations.go | Operation for "{volumeName:kubernetes.io/csi/<plugin_driver>^<device> podName: nodeName:}" failed. No retries permitted until <stamp> (durationBeforeRetry <backoff>). Error: MountVolume.MountDevice failed for volume "<device>" (UniqueName: "kubernetes.io/csi/<plugin_driver>^<device>") pod "<name>" (UID: "<uid>") : rpc error: code = Internal desc = exit status <few>
     12 E projected.go | Couldn't get configMap <namespace>/kube-root-ca.crt: failed to sync configmap cache: timed out waiting for the condition
     10 E secret.go | Couldn't get secret <namespace>/<container>-tls: secret "<container>-tls" not found
     !4 E csi_mounter.go | kubernetes.io/csi: attacher.MountDevice failed to create newCsiDriverClient: driver name <plugin_driver> not found in the list of registered CSI drivers
      2 I csi_plugin.go | kubernetes.io/csi: Register new plugin with name: <plugin_driver> at endpoint: /var/lib/kubelet/plugins/<plugin_driver>/csi.sock
      2 I csi_plugin.go | kubernetes.io/csi: Trying to validate a new CSI Driver with name: <plugin_driver> endpoint: /var/lib/kubelet/plugins/<plugin_driver>/csi.sock versions: 1.0.0
     !7 E controller.go | "Failed to update lease" err="Put \\"https://10.0.0.1:6443/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases/<node>?timeout=10s\\": context deadline exceeded"
     !5 E controller.go | "Failed to ensure lease exists, will retry" err="Get \\"https://10.0.0.1:6443/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases/<node>?timeout=10s\\": dial tcp 10.0.0.1:6443: connect: connection refused" interval="<backoff>"
     !5 E kubelet_node_status.go | "Error updating node status, will retry" err="error getting node \\"<node>\\": Get \\"https://10.0.0.1:6443/api/v1/nodes/<node>?timeout=10s\\": net/http: request canceled (Client.Timeout exceeded while awaiting headers)"
     !3 E kubelet_node_status.go | "Unable to update node status" err="update node status exceeds retry count"
      4 I kubelet_node_status.go | "Attempting to register node" node="<node>"
      4 I kubelet_node_status.go | "Successfully registered node" node="<node>"
     12 I kubelet_node_status.go | "Recording event message for node" node="<node>" event="NodeHasSufficientMemory"
     !4 I setters.go | "Node became not ready" node="<node>" condition={"type":"Ready","status":"False","lastHeartbeatTime":"<stamp>","reason":"KubeletNotReady","message":"PLEG is not healthy: pleg was last seen active <duration> ago; threshold is 3m0s"}
     !4 E kubelet.go | "Skipping pod synchronization" err="PLEG is not healthy: pleg was last seen active <duration> ago; threshold is 3m0s"
     !3 E kubelet.go | "Skipping pod synchronization" err="[container runtime is down, PLEG is not healthy: pleg has yet to be successful]"
     !4 E kubelet.go | "Container runtime sanity check failed" err="rpc error: code = Unavailable desc = connection error: desc = \\"transport: Error while dialing: dial unix /run/containerd/containerd.sock: connect: connection refused\\""
     30 E kubelet.go | "Housekeeping took longer than expected" err="housekeeping took too long" expected="1s" actual="<duration>"
     40 E dns.go | "Nameserver limits exceeded" err="Nameserver limits were exceeded, some nameservers have been omitted, the applied nameserver line is: <ip> <ip> <ip>"
     !6 I eviction_manager.go | "Eviction manager: attempting to reclaim" resourceName="<resource>"
     !5 I eviction_manager.go | "Eviction manager: must evict pod(s) to reclaim" resourceName="<resource>"
     !5 I eviction_manager.go | "Eviction manager: pods ranked for eviction" pods=[<list>]
     !4 I eviction_manager.go | "Eviction manager: pod is evicted successfully" pod="<pod>"
     !3 W eviction_manager.go | "Timed out waiting for pod to be cleaned up" pod="<pod>"
     10 I image_gc_manager.go | "Disk usage on image filesystem is over the high threshold, trying to free bytes down to the low threshold" usage=<few> highThreshold=85 amountToFree=<bytes> lowThreshold=80
     10 I image_gc_manager.go | "Removing image to free bytes" imageID="sha256:<id>" size=<bytes> runtimeHandler=""
     !3 E kubelet.go | "Image garbage collection failed once. Stats initialization may not have completed yet" err="failed to garbage collect required amount of images. Attempted to free <bytes> bytes, but only found <bytes> bytes eligible to free."
     !4 E log.go | "Failed to rotate log for container" err="failed to rotate log \\"/var/log/pods/<namespace>_<name>_<uid>/<container>/<few>.log\\": failed to reopen container log \\"<id>\\": rpc error: code = Unknown desc = docker does not support reopening container log files" worker=<few> containerID="<id>"
      6 W kubelet.go | "Deleted mirror pod because it is outdated" pod="<pod>"
     !3 E server.go | "Failed to load kubelet config file" err="failed to load Kubelet config file <path>" path="<path>"
      2 I server.go | "Starting to listen" address="0.0.0.0" port=<n>
      2 I server.go | "Adding debug handlers to kubelet server"
      3 I certificate_manager.go | kubernetes.io/kubelet-serving: Certificate expiration is <stamp>, rotation deadline is <stamp>
      3 I certificate_manager.go | kubernetes.io/kubelet-serving: Waiting <duration> for next certificate rotation
     !3 E log.go | http: TLS handshake error from <ip>:<n>: no serving certificate available for the kubelet
     14 E log.go | http: TLS handshake error from <ip>:<n>: EOF
     10 E upgradeaware.go | Error proxying data from client to backend: readfrom tcp 127.0.0.1:<n>->127.0.0.1:<n>: write tcp 127.0.0.1:<n>->127.0.0.1:<n>: write: broken pipe
     !5 W manager.go | Failed to process watch event {EventType:0 Name:<cgroup>/cri-containerd-<id>.scope WatchSource:0}: task <id> not found: not found
      4 E kubelet_pods.go | "Unable to retrieve pull secret, the image pull may not succeed." pod="<pod>" secret="" err="secret \\"regcred\\" not found"
      8 I status_manager.go | "Status for pod is up-to-date; skipping" podUID="<uid>"
      9 I status_manager.go | "Failed to get status for pod" podUID="<uid>" pod="<pod>" err="pods \\"<name>\\" not found"
  `),
}
