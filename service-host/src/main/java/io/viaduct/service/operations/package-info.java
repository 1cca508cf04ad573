/// What an operator sees of a running process that has no Spring: metrics, liveness, readiness and,
/// on a private Unix socket, its status.
@NullMarked
package io.viaduct.service.operations;

import org.jspecify.annotations.NullMarked;
