{{- define "tocsin.name" -}}
{{- default .Chart.Name .Values.nameOverride | trunc 63 | trimSuffix "-" -}}
{{- end -}}

{{- define "tocsin.fullname" -}}
{{- if .Values.fullnameOverride -}}
{{- .Values.fullnameOverride | trunc 63 | trimSuffix "-" -}}
{{- else -}}
{{- $name := include "tocsin.name" . -}}
{{- if contains $name .Release.Name -}}
{{- .Release.Name | trunc 63 | trimSuffix "-" -}}
{{- else -}}
{{- printf "%s-%s" .Release.Name $name | trunc 63 | trimSuffix "-" -}}
{{- end -}}
{{- end -}}
{{- end -}}

{{- define "tocsin.selector" -}}
app.kubernetes.io/name: {{ include "tocsin.name" . }}
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end -}}

{{- define "tocsin.labels" -}}
{{ include "tocsin.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version }}
{{- end -}}

{{- define "tocsin.serviceAccount" -}}
{{- if .Values.serviceAccount.create -}}
{{- default (include "tocsin.fullname" .) .Values.serviceAccount.name -}}
{{- else -}}
{{- default "default" .Values.serviceAccount.name -}}
{{- end -}}
{{- end -}}

{{- define "tocsin.claim" -}}
{{- default (include "tocsin.fullname" .) .Values.storage.persistence.existingClaim -}}
{{- end -}}

{{/* The separate port of the metrics, or nothing. */}}
{{- define "tocsin.metricsPort" -}}
{{- if and .Values.metrics.enable (gt (int .Values.metrics.port) 0) -}}{{ int .Values.metrics.port }}{{- end -}}
{{- end -}}

{{/* "yes" when the replicas share a database. */}}
{{- define "tocsin.shared" -}}
{{- if eq .Values.storage.type "postgres" -}}yes{{- end -}}
{{- end -}}
