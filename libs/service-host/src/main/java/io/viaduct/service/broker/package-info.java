/// Connection settings of an Apache Kafka cluster, without Kafka's classes.
@NullMarked
package io.viaduct.service.broker;

import org.jspecify.annotations.NullMarked;
