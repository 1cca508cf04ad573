/// Which process of this host a flow belongs to.
@NullMarked
package io.viaduct.host.process;

import org.jspecify.annotations.NullMarked;
