/// The parts of the system as processes of the laboratory: started, watched, killed, asked for
/// readiness.
@NullMarked
package io.viaduct.testbed.process;

import org.jspecify.annotations.NullMarked;
