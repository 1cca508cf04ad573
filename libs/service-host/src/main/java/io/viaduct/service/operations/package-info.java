/// The operations endpoint of processes without Spring: metrics, liveness, readiness and, on a
/// private Unix socket, the status.
@NullMarked
package io.viaduct.service.operations;

import org.jspecify.annotations.NullMarked;
