/// Finds the process of this host that a flow belongs to.
@NullMarked
package io.viaduct.host.process;

import org.jspecify.annotations.NullMarked;
