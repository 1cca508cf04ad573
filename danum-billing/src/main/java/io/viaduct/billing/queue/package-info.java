/// Reads reports from topics of Apache Kafka, and publishes verdicts and charges there (ADR 0051).
@NullMarked
package io.viaduct.billing.queue;

import org.jspecify.annotations.NullMarked;
