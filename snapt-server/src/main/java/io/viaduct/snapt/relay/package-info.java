/// The data path: event loops that carry packets between UDP and TUN, one loop per session.
@NullMarked
package io.viaduct.snapt.relay;

import org.jspecify.annotations.NullMarked;
