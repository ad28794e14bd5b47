import protobuf from 'protobufjs'

const PROTO = `syntax = "proto3"; package otlp;
message ExportLogsServiceRequest { repeated ResourceLogs resource_logs = 1; }
message ResourceLogs { Resource resource = 1; repeated ScopeLogs scope_logs = 2; string schema_url = 3; }
message Resource { repeated KeyValue attributes = 1; uint32 dropped_attributes_count = 2; }
message ScopeLogs { InstrumentationScope scope = 1; repeated LogRecord log_records = 2; string schema_url = 3; }
message InstrumentationScope { string name = 1; string version = 2; }
message LogRecord { fixed64 time_unix_nano = 1; int32 severity_number = 2; string severity_text = 3; AnyValue body = 5;
  repeated KeyValue attributes = 6; fixed32 flags = 8; bytes trace_id = 9; fixed64 observed_time_unix_nano = 11; string event_name = 12; }
message KeyValue { string key = 1; AnyValue value = 2; }
message AnyValue { oneof value { string string_value = 1; bool bool_value = 2; int64 int_value = 3; double double_value = 4;
  ArrayValue array_value = 5; KeyValueList kvlist_value = 6; bytes bytes_value = 7; } }
message ArrayValue { repeated AnyValue values = 1; }
message KeyValueList { repeated KeyValue values = 1; }`
const Request = protobuf.parse(PROTO).root.lookupType('otlp.ExportLogsServiceRequest')

/** Returns an `ExportLogsServiceRequest`, given in its JSON form, as protobuf. */
export const encodeLogs = (request: object) => Buffer.from(Request.encode(Request.fromObject(request)).finish())

/** Reads an `ExportLogsServiceRequest` with protobufjs: whole numbers are texts, bytes are base64. Throws for other bytes. */
export const decodeLogs = (bytes: Uint8Array): { readonly [field: string]: unknown } =>
  Request.toObject(Request.decode(bytes), { longs: String, bytes: String, arrays: true })
