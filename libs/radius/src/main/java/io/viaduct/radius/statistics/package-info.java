/// Counters of packets, events and drops.
@NullMarked
package io.viaduct.radius.statistics;

import org.jspecify.annotations.NullMarked;
