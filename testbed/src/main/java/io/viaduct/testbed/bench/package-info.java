/// Measurements of tunnels, ours and others, on the same path.
@NullMarked
package io.viaduct.testbed.bench;

import org.jspecify.annotations.NullMarked;
