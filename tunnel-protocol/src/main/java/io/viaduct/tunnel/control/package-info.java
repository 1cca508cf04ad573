/// Frames of the control connection and the proof that a device gives in them.
@NullMarked
package io.viaduct.tunnel.control;

import org.jspecify.annotations.NullMarked;
