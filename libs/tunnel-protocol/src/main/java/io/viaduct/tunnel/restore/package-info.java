/// Restores packets from the records of a body. The counterpart is [io.viaduct.tunnel.compound].
@NullMarked
package io.viaduct.tunnel.restore;

import org.jspecify.annotations.NullMarked;
