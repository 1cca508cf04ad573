/// The path between both ends: round trip, clock offset, loss, path MTU, and the address that a
/// session is bound to.
@NullMarked
package io.viaduct.tunnel.path;

import org.jspecify.annotations.NullMarked;
