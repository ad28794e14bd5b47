{{/* Refuses values that cannot work, and says what to change. */}}
{{- define "tocsin.validate" -}}
{{- $storage := .Values.storage -}}
{{- $persistence := $storage.persistence -}}
{{- $agent := .Values.agent -}}
{{- $replicas := int .Values.replicaCount -}}
{{- $once := and $persistence.enabled (has $persistence.accessMode (list "ReadWriteOnce" "ReadWriteOncePod")) -}}
{{- if not (has $storage.type (list "file" "postgres")) -}}
{{- fail (printf "storage.type is %q: set storage.type=file for one replica with a disk, or storage.type=postgres for several on a database" (toString $storage.type)) -}}
{{- end -}}
{{- $file := eq $storage.type "file" -}}
{{- if and (not $file) $persistence.enabled -}}
{{- fail "storage.persistence is on, but with storage.type=postgres everything is in the database: set storage.persistence.enabled=false" -}}
{{- end -}}
{{- $url := or $storage.postgres.url .Values.existingSecret .Values.extraEnvFrom -}}
{{- range .Values.extraEnv -}}{{- if eq .name "STORAGE_POSTGRES_URL" -}}{{- $url = true -}}{{- end -}}{{- end -}}
{{- if and (not $file) (not $url) -}}
{{- fail "storage.type is postgres but there is no database: set storage.postgres.url, or existingSecret to a Secret that holds STORAGE_POSTGRES_URL" -}}
{{- end -}}
{{- if not (hasPrefix "/" $storage.file.dataDir) -}}
{{- fail (printf "storage.file.dataDir is %q: it must be an absolute path, such as /data, since the volume is mounted there" $storage.file.dataDir) -}}
{{- end -}}
{{- if not (has $persistence.accessMode (list "ReadWriteOnce" "ReadWriteOncePod" "ReadWriteMany")) -}}
{{- fail (printf "storage.persistence.accessMode is %q: it must be ReadWriteOnce, ReadWriteOncePod or ReadWriteMany, since the service writes" (toString $persistence.accessMode)) -}}
{{- end -}}
{{- if and $persistence.existingClaim (not $persistence.enabled) -}}
{{- fail (printf "storage.persistence.existingClaim is %q but persistence is off, so the claim would not be used: set storage.persistence.enabled=true, or leave existingClaim empty" $persistence.existingClaim) -}}
{{- end -}}
{{- if and $once (gt $replicas 1) -}}
{{- fail (printf "replicaCount is %d but a %s volume serves one pod: set replicaCount=1, or storage.persistence.accessMode=ReadWriteMany" $replicas $persistence.accessMode) -}}
{{- end -}}
{{- if and $file $agent.enable (gt $replicas 1) -}}
{{- fail (printf "replicaCount is %d but the agent is the single writer of its catalog: set replicaCount=1, or agent.enable=false" $replicas) -}}
{{- end -}}
{{- if and $file .Values.autoscaling.enabled -}}
{{- if $agent.enable -}}
{{- fail "autoscaling.enabled would add replicas, but the agent is the single writer of its catalog: set autoscaling.enabled=false, or agent.enable=false" -}}
{{- end -}}
{{- if $once -}}
{{- fail (printf "autoscaling.enabled would add replicas, but a %s volume serves one pod: set autoscaling.enabled=false, or storage.persistence.accessMode=ReadWriteMany" $persistence.accessMode) -}}
{{- end -}}
{{- end -}}
{{- if not (has $agent.mode (list "training" "shadow" "detect")) -}}
{{- fail (printf "agent.mode is %q: it must be training, shadow or detect" (toString $agent.mode)) -}}
{{- end -}}
{{- $given := or $agent.ai.apiKey .Values.existingSecret .Values.extraEnvFrom -}}
{{- range .Values.extraEnv -}}{{- if eq .name "AGENT_AI_API_KEY" -}}{{- $given = true -}}{{- end -}}{{- end -}}
{{- if and $agent.ai.enable (not $given) -}}
{{- fail "agent.ai.enable is true but there is no key: set agent.ai.apiKey, or existingSecret to a Secret that holds AGENT_AI_API_KEY" -}}
{{- end -}}
{{- if and .Values.existingSecret (include "tocsin.secretData" .) -}}
{{- fail (printf "existingSecret is %q, so credentials among the values would be ignored: put them into that Secret (%s), or leave existingSecret empty" .Values.existingSecret (include "tocsin.secretData" . | fromYaml | keys | sortAlpha | join ", ")) -}}
{{- end -}}
{{- /* Not a pattern of the schema: its error would quote the password. */ -}}
{{- range $channel, $settings := omit .Values.alert "debugBody" -}}
{{- $password := (default dict $settings.proxy).password | default "" -}}
{{- if not (regexMatch "^$|^\\$\\{\\w+\\}$" $password) -}}
{{- fail (printf "alert.%s.proxy.password would be readable in the ConfigMap: set it to a reference such as \"${PROXY_PASSWORD}\", and give the variable by existingSecret or extraEnv" $channel) -}}
{{- end -}}
{{- end -}}
{{- if lt (int .Values.terminationGracePeriodSeconds) 10 -}}
{{- fail (printf "terminationGracePeriodSeconds is %d: the service needs up to 8 seconds to end what is under way; set at least 10" (int .Values.terminationGracePeriodSeconds)) -}}
{{- end -}}
{{- end -}}
