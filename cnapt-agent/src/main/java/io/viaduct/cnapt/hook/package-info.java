/// The socket by which other programs of this host hear of flows, for routing by class.
@NullMarked
package io.viaduct.cnapt.hook;

import org.jspecify.annotations.NullMarked;
