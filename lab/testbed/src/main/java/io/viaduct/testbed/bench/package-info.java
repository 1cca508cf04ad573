/// Measurements of our tunnel and other tunnels on the same path.
@NullMarked
package io.viaduct.testbed.bench;

import org.jspecify.annotations.NullMarked;
