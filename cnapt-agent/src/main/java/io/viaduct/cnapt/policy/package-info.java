/// Distribution of flows over the paths: rules that choose a method per flow, and the steady choice
/// of paths by delay, rate and cost. Does no I/O and reads no clock.
@NullMarked
package io.viaduct.cnapt.policy;

import org.jspecify.annotations.NullMarked;
