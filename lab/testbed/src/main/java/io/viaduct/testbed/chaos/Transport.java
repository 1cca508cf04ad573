package io.viaduct.testbed.chaos;

/// The way of reports from the bridge to billing.
enum Transport {
  GRPC,
  /// By a broker of Apache Kafka, which has faults of its own.
  KAFKA
}
