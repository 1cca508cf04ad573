package io.viaduct.billing.credit;

import io.viaduct.billing.rating.Use;
import io.viaduct.billing.tariff.ServiceClass;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/// A report that is being posted: the use whose reservation its charge replaces.
///
/// @param interval id of the charging interval
/// @param account id of the account that pays
/// @param snapt id of the SNAPT
/// @param session id of the session
/// @param intervalMs length of the interval, milliseconds
public record PostedReport(
    long interval,
    String account,
    String snapt,
    String session,
    long intervalMs,
    List<Flow> flows) {
  /// The use by one flow.
  ///
  /// @param bytes inner IP bytes
  /// @param durationMs milliseconds
  public record Flow(String application, ServiceClass serviceClass, long bytes, long durationMs) {}

  SessionKey key() {
    return new SessionKey(snapt, session);
  }

  /// Returns the use of each application that the report has flows of.
  Map<Application, Use> byApplication() {
    return flows.stream()
        .collect(
            Collectors.toMap(
                flow -> new Application(flow.application(), flow.serviceClass()),
                flow -> new Use(flow.bytes(), flow.durationMs(), 0),
                Use::plus));
  }
}
