/// Frames of the control connection, and the device's proof that it holds its key.
@NullMarked
package io.viaduct.tunnel.control;

import org.jspecify.annotations.NullMarked;
