package io.viaduct.billing.cdr;

import java.lang.reflect.RecordComponent;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;

/// A charging data record: what one flow of an interval was charged, in its final state. A
/// re-rating of it makes a further record. Fields are only ever added, at the end.
///
/// @param charge id of the charge, unique for ever; with `revision`, of the record
/// @param snapt SNAPT that carried it
/// @param session session of the device at the SNAPT
/// @param startedAt start of the interval
/// @param serviceClass `HT_HD` and the like
/// @param preBytes bytes before compression
/// @param postBytes bytes after compression
/// @param netMicrodenarii what the account pays, micro-denarii
/// @param tariffVersion version that priced this bill
/// @param state `FINAL`, `ADJUSTED` or `VOID`: a void one costs nothing
/// @param revision 0 for the bill of the report; each re-rating that changes it adds one. The
///   highest one counts
public record CdrRecord(
    long charge,
    String account,
    String snapt,
    String session,
    String icid,
    Instant startedAt,
    Instant endedAt,
    String application,
    String serviceClass,
    long preBytes,
    long postBytes,
    long durationMs,
    long chargeMicrodenarii,
    long discountMicrodenarii,
    long netMicrodenarii,
    int tariffVersion,
    String state,
    int revision) {
  static final int FIELDS = CdrRecord.class.getRecordComponents().length;

  /// Returns the first fields by their names.
  ///
  /// @param count number of fields, as the file has them
  Map<String, Object> fields(int count) {
    Map<String, Object> fields = new LinkedHashMap<>();
    RecordComponent[] components = CdrRecord.class.getRecordComponents();
    for (int i = 0; i < count; i++) {
      try {
        fields.put(
            components[i].getName(),
            Objects.requireNonNull(components[i].getAccessor().invoke(this)));
      } catch (ReflectiveOperationException e) {
        throw new IllegalStateException("a record has its own fields", e);
      }
    }
    return fields;
  }
}
