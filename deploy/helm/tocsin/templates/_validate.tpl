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
{{- /* Each replica on files would have incidents of its own behind one Service. */ -}}
{{- if and $file (or (gt $replicas 1) .Values.autoscaling.enabled) -}}
{{- $why := "each replica on files would keep incidents of its own, which the others do not show, deliver or acknowledge" -}}
{{- if $agent.enable -}}{{- $why = "the agent is the single writer of its catalog" -}}{{- end -}}
{{- if $once -}}{{- $why = printf "a %s volume serves one pod" $persistence.accessMode -}}{{- end -}}
{{- $what := printf "replicaCount is %d" $replicas -}}{{- $back := "replicaCount=1" -}}
{{- if .Values.autoscaling.enabled -}}{{- $what = "autoscaling.enabled would add replicas" -}}{{- $back = "autoscaling.enabled=false" -}}{{- end -}}
{{- fail (printf "%s, but %s: set storage.type=postgres and storage.postgres.url for several replicas, or %s" $what $why $back) -}}
{{- end -}}
{{- if not (has $agent.mode (list "training" "shadow" "detect")) -}}
{{- fail (printf "agent.mode is %q: it must be training, shadow or detect" (toString $agent.mode)) -}}
{{- end -}}
{{- $given := or $agent.ai.apiKey .Values.existingSecret .Values.extraEnvFrom -}}
{{- range .Values.extraEnv -}}{{- if eq .name "AGENT_AI_API_KEY" -}}{{- $given = true -}}{{- end -}}{{- end -}}
{{- $provider := dig "agent" "ai" "provider" "openai" .Values.config -}}
{{- if and $agent.ai.enable (eq $provider "openai") (not $given) -}}
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
