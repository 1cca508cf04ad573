/// Connections with peers: capabilities exchange, watchdog, disconnection, requests in flight and
/// fail-over. One event loop owns all state of a node.
@NullMarked
package io.viaduct.diameter.peer;

import org.jspecify.annotations.NullMarked;
