package io.viaduct.billing.configuration;

import static io.viaduct.billing.configuration.Rules.between;
import static io.viaduct.billing.configuration.Rules.require;

import io.viaduct.service.broker.BrokerSettings;
import java.time.Duration;

/// Topics of Apache Kafka.
///
/// @param broker connection to the cluster; no bootstrap for none
/// @param reports topic of reports
/// @param verdicts topic of verdicts
/// @param charges topic of charges; empty for none
/// @param group consumer group of the billing instances
/// @param batch reports of one transaction; it may have half as many more
/// @param lanes most transactions at the same time
/// @param deadline longest wait for the broker's acknowledgement of a record
/// @param takeOver time after which the partitions of an instance that was killed go to others
public record KafkaSettings(
    BrokerSettings broker,
    String reports,
    String verdicts,
    String charges,
    String group,
    int batch,
    int lanes,
    Duration deadline,
    Duration takeOver) {
  private static final String TOPIC = "[A-Za-z0-9._-]{1,249}";

  public KafkaSettings {
    require(reports.matches(TOPIC), "reports must match " + TOPIC, reports);
    require(verdicts.matches(TOPIC), "verdicts must match " + TOPIC, verdicts);
    require(
        charges.isEmpty() || charges.matches(TOPIC),
        "charges must match " + TOPIC + ", or be empty",
        charges);
    require(group.matches(TOPIC), "group must match " + TOPIC, group);
    require(batch >= 1 && batch <= 256, "batch must be 1 to 256", Integer.toString(batch));
    require(lanes >= 1 && lanes <= 32, "lanes must be 1 to 32", Integer.toString(lanes));
    between("deadline", deadline, Duration.ofSeconds(1), Duration.ofMinutes(2));
    between("take-over", takeOver, Duration.ofSeconds(1), Duration.ofMinutes(5));
  }

  /// Returns whether charges are published.
  public boolean publishes() {
    return broker.exists() && !charges.isEmpty();
  }
}
