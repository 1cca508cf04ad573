/// Inner flows: the five-tuple table, header contexts that need not travel twice, metering per
/// flow.
@NullMarked
package io.viaduct.tunnel.flow;

import org.jspecify.annotations.NullMarked;
