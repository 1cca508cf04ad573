/// Changes of network: what counts as one, how the path is probed afterwards, and how long packets
/// stood still.
@NullMarked
package io.viaduct.cnapt.mobility;

import org.jspecify.annotations.NullMarked;
