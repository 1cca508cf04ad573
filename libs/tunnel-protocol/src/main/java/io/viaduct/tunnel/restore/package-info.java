/// What turns the records of a body back into packets. The counterpart is
/// [io.viaduct.tunnel.compound].
@NullMarked
package io.viaduct.tunnel.restore;

import org.jspecify.annotations.NullMarked;
