package io.viaduct.bridge.configuration;

import static io.viaduct.bridge.configuration.Rules.require;

import io.viaduct.service.broker.BrokerSettings;
import java.time.Duration;

/// The broker on the way of reports, and its limits.
///
/// @param broker connection to the cluster
/// @param reports topic of reports
/// @param verdicts topic of billing's verdicts
/// @param deadline longest wait for the broker's acknowledgement; then the report is deferred
/// @param inFlight most reports without the broker's acknowledgement; further ones are deferred
/// @param bufferBytes most bytes of these reports in memory
public record KafkaSettings(
    BrokerSettings broker,
    String reports,
    String verdicts,
    Duration deadline,
    int inFlight,
    long bufferBytes) {
  private static final String TOPIC = "[A-Za-z0-9._-]{1,249}";

  public KafkaSettings {
    require(reports.matches(TOPIC), "reports must match " + TOPIC, reports);
    require(verdicts.matches(TOPIC), "verdicts must match " + TOPIC, verdicts);
    require(
        deadline.toMillis() >= 1000 && deadline.toMinutes() <= 2,
        "deadline must be 1s..2m",
        deadline);
    require(inFlight >= 1 && inFlight <= 1 << 20, "in-flight must be 1..1048576", inFlight);
    require(
        bufferBytes >= 1 << 20 && bufferBytes <= 1L << 31,
        "buffer-bytes must be 1048576..2147483648",
        bufferBytes);
  }
}
