package io.viaduct.bridge.configuration;

import com.fasterxml.jackson.annotation.JsonCreator;
import java.util.Locale;

/// Way of reports to billing.
///
/// @param transport to billing itself, or by Apache Kafka
public record ReportsSettings(Transport transport) {
  /// The way of reports to billing.
  public enum Transport {
    /// Billing's mediation, whose answer is the verdict.
    GRPC,
    /// A topic of Apache Kafka; the verdict comes by another topic.
    KAFKA;

    @JsonCreator
    static Transport of(String text) {
      for (Transport value : values()) {
        if (value.name().equals(text.toUpperCase(Locale.ROOT))) {
          return value;
        }
      }
      throw new IllegalArgumentException("transport must be grpc or kafka, got '" + text + "'");
    }
  }
}
